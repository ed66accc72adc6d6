//! Variables that are computed when read, or whose assignment does something.
