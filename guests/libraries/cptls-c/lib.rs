//! The client's side of cptls. It is C: the guests that use it compile it. See README.md.
