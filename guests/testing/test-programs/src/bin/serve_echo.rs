//! Listens at port 8000 of the loopback, and gives each of so many connections (one) back what it
//! has sent.

use std::io::Write as _;

use codepod_abi::wire::socket::INET;
use test_programs::resources::number_argument;
use test_programs::sockets::{accept, listener, loopback};
use test_programs::{Slot, call, check, finish, iovec, iovec_of};

fn main() {
    let (fd, _) = listener(INET, &loopback(8000), 5);
    println!("ready");
    let _ = std::io::stdout().flush();
    for _ in 0..number_argument(1, 1) {
        let connection = accept(fd);
        let (buffer, count) = (Slot::new([0u8; 4096]), Slot::new(0u32));
        let into = iovec_of(&buffer);
        loop {
            let read = call::fd_read(connection, into.at(), 1, count.at());
            check!(read == 0, "fd_read: {read}");
            let bytes = buffer.get();
            let bytes = &bytes[..(count.get() as usize).min(4096)];
            if read != 0 || bytes.is_empty() {
                break;
            }
            let written = call::fd_write(connection, iovec(bytes).at(), 1, count.at());
            check!(written == 0, "fd_write: {written}");
        }
        call::fd_close(connection);
    }
    finish();
}
