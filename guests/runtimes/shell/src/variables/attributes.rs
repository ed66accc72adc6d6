//! Attributes of variables, as `declare` sets them.

use serde::{Deserialize, Serialize};

/// A set of attributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Attributes(u16);

impl Attributes {
    /// None.
    pub const NONE: Attributes = Attributes(0);
    /// `-x`: in the environment of programs.
    pub const EXPORT: Attributes = Attributes(1);
    /// `-r`: cannot be changed.
    pub const READONLY: Attributes = Attributes(2);
    /// `-i`: assigned values are evaluated.
    pub const INTEGER: Attributes = Attributes(4);
    /// `-l`: assigned values become lower case.
    pub const LOWER: Attributes = Attributes(8);
    /// `-u`: assigned values become upper case.
    pub const UPPER: Attributes = Attributes(16);
    /// `-c`: assigned values are capitalised.
    pub const CAPITAL: Attributes = Attributes(32);
    /// `-n`: the value is the name of the variable that is meant.
    pub const NAMEREF: Attributes = Attributes(64);
    /// `-a`, also before there are elements.
    pub const INDEXED: Attributes = Attributes(128);
    /// `-A`, also before there are elements.
    pub const ASSOC: Attributes = Attributes(256);
    /// `-t`.
    pub const TRACE: Attributes = Attributes(512);
    /// Assigning it has an effect beyond its value (`PATH`, `IFS`, `OPTIND`, …): `crate::special`
    /// knows which.
    pub const HOOK: Attributes = Attributes(1024);
    /// Declared in the current function by `local`, so that `unset` in it leaves it local.
    pub const LOCAL: Attributes = Attributes(2048);
    /// Declared without a value, so that it is there (`declare -p` shows it).
    pub const DECLARED: Attributes = Attributes(4096);

    /// Those that matter when a string is assigned.
    pub const MATTER: Attributes = Attributes(1 | 2 | 4 | 8 | 16 | 32 | 64 | 128 | 256 | 1024);
    /// Those that change the case of what is assigned.
    pub const CASE: Attributes = Attributes(8 | 16 | 32);

    /// Whether all of `other` are in it.
    #[inline]
    pub const fn has(self, other: Attributes) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether any of `other` is in it.
    #[inline]
    pub const fn any(self, other: Attributes) -> bool {
        self.0 & other.0 != 0
    }

    /// Both.
    #[must_use]
    pub const fn with(self, other: Attributes) -> Attributes {
        Attributes(self.0 | other.0)
    }

    /// Without `other`.
    #[must_use]
    pub const fn without(self, other: Attributes) -> Attributes {
        Attributes(self.0 & !other.0)
    }
}
