//! Devices: what `/dev` nodes do when they are read and written.

use codepod_abi::Errno;
use codepod_vfs::Device;

use crate::host::Host;
use crate::limits::Limits;

/// Reads from a device. The terminal is not handled here: opening `/dev/tty` gives the terminal
/// itself.
pub(crate) fn read(device: Device, host: &dyn Host, buffer: &mut [u8]) -> Result<usize, Errno> {
    match device {
        Device::Null => Ok(0),
        Device::Zero | Device::Full => {
            buffer.fill(0);
            Ok(buffer.len())
        }
        Device::Random | Device::Urandom => {
            let len = buffer.len().min(Limits::RANDOM_BYTES);
            host.random(&mut buffer[..len]);
            Ok(len)
        }
        Device::Tty => Err(Errno::Nxio),
    }
}

/// Writes to a device.
pub(crate) fn write(device: Device, len: usize) -> Result<usize, Errno> {
    match device {
        Device::Null | Device::Zero | Device::Random | Device::Urandom => Ok(len),
        Device::Full => Err(Errno::NoSpc),
        Device::Tty => Err(Errno::Nxio),
    }
}
