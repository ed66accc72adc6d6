//! Carries bytes between a socket and the standard streams.

use std::time::{Duration, Instant};

use codepod_sys::calls;
use codepod_sys::descriptor::{self, Fd};
use codepod_sys::socket::{self, Kind, SHUT_WR};
use codepod_sys::{Errno, poll};

use crate::arguments::Plan;

/// The most that is read at once: the longest datagram.
const CHUNK: usize = 64 << 10;

/// Carries until both sides are done. `input` says whether standard input is still to be read, and
/// is false afterwards if it has ended.
pub(crate) fn both_ways(net: Fd, plan: &Plan, input: &mut bool) {
    let mut buffer = vec![0u8; CHUNK];
    let (mut net_open, mut times) = (true, 0u64);
    // When to end after the end of standard input.
    let mut end: Option<Instant> = None;
    if !*input {
        input_ended(net, plan, &mut end);
    }
    while net_open || (*input && !plan.listens) {
        let mut fds = Vec::with_capacity(2);
        if net_open {
            fds.push(net);
        }
        if *input {
            fds.push(Fd::STDIN);
        }
        let left = end.map(|end| end.saturating_duration_since(Instant::now()));
        let timeout = match (left, plan.wait) {
            (Some(left), Some(wait)) => Some(left.min(wait)),
            (left, wait) => left.or(wait),
        };
        let ready = match poll::any_readable_within(&fds, timeout) {
            Ok(Some(place)) => fds.get(place).copied(),
            Err(Errno::Intr) => continue,
            Ok(None) | Err(_) => return,
        };
        if ready == Some(net) && net_open {
            match descriptor::read(net, &mut buffer) {
                Ok(0) if plan.kind == Kind::Stream => net_open = false,
                Ok(count) => {
                    if descriptor::write_all(Fd::STDOUT, &buffer[..count]).is_err() {
                        return;
                    }
                    times += 1;
                    if plan.most.is_some_and(|most| times >= most) {
                        return;
                    }
                }
                Err(Errno::Intr | Errno::Again) => {}
                Err(_) => return,
            }
            continue;
        }
        match descriptor::read(Fd::STDIN, &mut buffer) {
            Ok(0) => {
                *input = false;
                input_ended(net, plan, &mut end);
            }
            Ok(count) => {
                let sent = match plan.crlf {
                    true => send(net, &with_crlf(&buffer[..count])),
                    false => send(net, &buffer[..count]),
                };
                if sent.is_err() {
                    return;
                }
                pause(plan.interval);
            }
            Err(Errno::Intr | Errno::Again) => {}
            Err(_) => {
                *input = false;
                input_ended(net, plan, &mut end);
            }
        }
    }
}

/// The end of standard input: a time to quit tells the peer, as `-N` does.
fn input_ended(net: Fd, plan: &Plan, end: &mut Option<Instant>) {
    if plan.detached {
        return;
    }
    if plan.shuts || plan.quit.is_some() {
        let _ = calls::sock_shutdown(net.0, SHUT_WR);
    }
    *end = plan.quit.map(|quit| Instant::now() + quit);
}

/// Sends all.
fn send(net: Fd, mut bytes: &[u8]) -> Result<(), Errno> {
    while !bytes.is_empty() {
        match socket::send_to(net, bytes, None) {
            Ok(count) => bytes = &bytes[count..],
            Err(Errno::Intr) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(())
}

/// Waits between two pieces or ports.
pub(crate) fn pause(interval: Option<Duration>) {
    if let Some(interval) = interval {
        // A signal that comes first ends the wait, as it does for sleep(3).
        let _ = poll::sleep(interval);
    }
}

fn with_crlf(bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(bytes.len() + 16);
    let mut last = 0;
    for byte in bytes {
        if *byte == b'\n' && last != b'\r' {
            text.push(b'\r');
        }
        text.push(*byte);
        last = *byte;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::with_crlf;

    #[test]
    fn lines_end_with_one_carriage_return() {
        assert_eq!(with_crlf(b"a\nb\r\n\n"), b"a\r\nb\r\n\r\n");
    }
}
