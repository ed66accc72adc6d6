//! bc and dc: decimal numbers of any length.

pub mod bc;
pub mod dc;
pub mod math;
pub mod number;
