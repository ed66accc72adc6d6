//! Small tools that start no processes.

pub mod col;
pub mod colrm;
pub mod column;
pub mod dos2unix;
pub mod envsubst;
pub mod files;
pub mod getconf;
pub mod getent;
pub mod getopt;
pub mod hexdump;
pub mod iconv;
pub mod locale;
pub mod look;
pub mod lsb_release;
pub mod openssl;
pub mod pager;
pub mod pv;
pub mod screen;
pub mod sponge;
pub mod strings;
pub mod tree;
pub mod uuid;
pub mod which;
pub mod xxd;
