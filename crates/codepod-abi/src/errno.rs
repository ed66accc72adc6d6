//! Error numbers: WASI Preview 1's, which are also the kernel's and the file system's own.
//!
//! A guest sees the number, people see [`Errno::message`], which is what glibc's `strerror` prints.

/// Lists every error number once: `(name, number, message)`.
macro_rules! errnos {
    ($($name:ident = $number:literal, $message:literal;)*) => {
        /// Why a call failed. There is no "success" value: calls return `Result<T, Errno>`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u16)]
        pub enum Errno {
            $(#[doc = $message] $name = $number,)*
        }

        impl Errno {
            /// Every error number, in the order of their values.
            pub const ALL: &'static [Errno] = &[$(Errno::$name,)*];

            /// The name as the table writes it.
            pub const fn name(self) -> &'static str {
                match self { $(Errno::$name => stringify!($name),)* }
            }

            /// The text that glibc prints for it.
            pub const fn message(self) -> &'static str {
                match self { $(Errno::$name => $message,)* }
            }

            /// The error for a number that came over the wire; `None` for 0 and for unknown
            /// numbers.
            pub const fn from_raw(number: u16) -> Option<Errno> {
                match number { $($number => Some(Errno::$name),)* _ => None }
            }
        }
    };
}

errnos! {
    TooBig = 1, "Argument list too long";
    Access = 2, "Permission denied";
    AddrInUse = 3, "Address already in use";
    AddrNotAvail = 4, "Cannot assign requested address";
    AfNoSupport = 5, "Address family not supported by protocol";
    Again = 6, "Resource temporarily unavailable";
    Already = 7, "Operation already in progress";
    Badf = 8, "Bad file descriptor";
    BadMsg = 9, "Bad message";
    Busy = 10, "Device or resource busy";
    Canceled = 11, "Operation canceled";
    Child = 12, "No child processes";
    ConnAborted = 13, "Software caused connection abort";
    ConnRefused = 14, "Connection refused";
    ConnReset = 15, "Connection reset by peer";
    Deadlk = 16, "Resource deadlock avoided";
    DestAddrReq = 17, "Destination address required";
    Dom = 18, "Numerical argument out of domain";
    Dquot = 19, "Disk quota exceeded";
    Exist = 20, "File exists";
    Fault = 21, "Bad address";
    Fbig = 22, "File too large";
    HostUnreach = 23, "No route to host";
    Idrm = 24, "Identifier removed";
    Ilseq = 25, "Invalid or incomplete multibyte or wide character";
    InProgress = 26, "Operation now in progress";
    Intr = 27, "Interrupted system call";
    Inval = 28, "Invalid argument";
    Io = 29, "Input/output error";
    IsConn = 30, "Transport endpoint is already connected";
    IsDir = 31, "Is a directory";
    Loop = 32, "Too many levels of symbolic links";
    Mfile = 33, "Too many open files";
    Mlink = 34, "Too many links";
    MsgSize = 35, "Message too long";
    Multihop = 36, "Multihop attempted";
    NameTooLong = 37, "File name too long";
    NetDown = 38, "Network is down";
    NetReset = 39, "Network dropped connection on reset";
    NetUnreach = 40, "Network is unreachable";
    Nfile = 41, "Too many open files in system";
    NoBufs = 42, "No buffer space available";
    NoDev = 43, "No such device";
    NoEnt = 44, "No such file or directory";
    NoExec = 45, "Exec format error";
    NoLck = 46, "No locks available";
    NoLink = 47, "Link has been severed";
    NoMem = 48, "Cannot allocate memory";
    NoMsg = 49, "No message of desired type";
    NoProtoOpt = 50, "Protocol not available";
    NoSpc = 51, "No space left on device";
    NoSys = 52, "Function not implemented";
    NotConn = 53, "Transport endpoint is not connected";
    NotDir = 54, "Not a directory";
    NotEmpty = 55, "Directory not empty";
    NotRecoverable = 56, "State not recoverable";
    NotSock = 57, "Socket operation on non-socket";
    NotSup = 58, "Operation not supported";
    NotTy = 59, "Inappropriate ioctl for device";
    Nxio = 60, "No such device or address";
    Overflow = 61, "Value too large for defined data type";
    OwnerDead = 62, "Owner died";
    Perm = 63, "Operation not permitted";
    Pipe = 64, "Broken pipe";
    Proto = 65, "Protocol error";
    ProtoNoSupport = 66, "Protocol not supported";
    Prototype = 67, "Protocol wrong type for socket";
    Range = 68, "Numerical result out of range";
    Rofs = 69, "Read-only file system";
    Spipe = 70, "Illegal seek";
    Srch = 71, "No such process";
    Stale = 72, "Stale file handle";
    TimedOut = 73, "Connection timed out";
    TxtBsy = 74, "Text file busy";
    Xdev = 75, "Invalid cross-device link";
    NotCapable = 76, "Capabilities insufficient";
}

/// The number that means success on the wire.
pub const SUCCESS: u16 = 0;

impl Errno {
    /// The number that a guest sees.
    pub const fn raw(self) -> u16 {
        self as u16
    }
}

impl core::fmt::Display for Errno {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.message())
    }
}

impl core::error::Error for Errno {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_survives_the_wire() {
        for errno in Errno::ALL {
            assert_eq!(Errno::from_raw(errno.raw()), Some(*errno));
        }
        assert_eq!(Errno::from_raw(SUCCESS), None);
        assert_eq!(Errno::from_raw(77), None);
        assert_eq!(Errno::ALL.len(), 76);
    }
}
