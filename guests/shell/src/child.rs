//! Child shells: a state and a tree through a pipe.
