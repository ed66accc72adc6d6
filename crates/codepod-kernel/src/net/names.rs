//! Names of hosts, and the addresses that stand for them in here.
//!
//! A name beyond the sandbox gets an address of 198.18.0.0/15, which no host on the Internet has. A
//! connection to it is a connection to that name: who dials decides by the name, real addresses are
//! never seen inside, and a run can be replayed. Addresses are given out in order and not again
//! until all have been; of the names only the last used are remembered.
//!
//! Invariant: `names.len() <= MOST`.

use std::net::Ipv4Addr;
use std::task::Waker;

use codepod_abi::Errno;
use codepod_abi::wire::socket::HOST_NAME_BYTES;

use crate::ids::WaiterId;
use crate::kernel::Kernel;
use crate::wait_set::WaitSet;

/// How many names are remembered.
pub(super) const MOST: usize = 1024;
/// How many addresses there are: the first and the last stay out of it.
const ADDRESSES: u32 = (1 << 17) - 2;
/// The first address, before which is the network's.
const NETWORK: u32 = u32::from_be_bytes([198, 18, 0, 0]);

/// What is known of a name.
#[derive(Debug)]
enum State {
    /// The gateway is asked.
    Asked,
    /// It stands for its address.
    Known,
    /// There is none, or that could not be found out. Who asks anew asks the gateway again.
    Failed(Errno),
}

/// A name.
#[derive(Debug)]
struct Entry {
    name: String,
    address: Ipv4Addr,
    state: State,
    /// Waiting for the gateway's answer.
    waiters: WaitSet,
}

/// The names that a sandbox has asked for, the last used at the end.
#[derive(Debug, Default)]
pub(crate) struct Names {
    names: Vec<Entry>,
    /// How many addresses have been given out.
    given: u32,
}

/// What is known of a name now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Resolved {
    Address(Ipv4Addr),
    /// The gateway is asked.
    Wait,
}

impl Names {
    /// The name that an address stands for.
    pub(crate) fn name_of(&self, address: Ipv4Addr) -> Option<&str> {
        let entry = self.names.iter().find(|entry| entry.address == address);
        entry.map(|entry| &*entry.name)
    }

    /// A name as the one that was used last; `None` if it is not known.
    fn touch(&mut self, name: &str) -> Option<&mut Entry> {
        let at = self.names.iter().position(|entry| entry.name == name)?;
        self.names[at..].rotate_left(1);
        self.names.last_mut()
    }

    fn insert(&mut self, name: &str, state: State) -> Ipv4Addr {
        if self.names.len() >= MOST {
            self.names.remove(0).waiters.wake();
        }
        let address = loop {
            self.given = self.given % ADDRESSES + 1;
            let address = Ipv4Addr::from(NETWORK + self.given);
            if self.name_of(address).is_none() {
                break address;
            }
        };
        self.names.push(Entry {
            name: name.to_owned(),
            address,
            state,
            waiters: WaitSet::default(),
        });
        address
    }

    /// Takes the gateway's answer.
    pub(super) fn answer(&mut self, name: &str, answer: Result<(), Errno>) {
        let mut entries = self.names.iter_mut();
        if let Some(entry) = entries.find(|entry| entry.name == name) {
            entry.state = match answer {
                Ok(()) => State::Known,
                Err(errno) => State::Failed(errno),
            };
            entry.waiters.wake();
        }
    }

    /// Wakes a waiter when the gateway has answered.
    pub(crate) fn wait(&mut self, name: &str, waiter: WaiterId, waker: &Waker) {
        let mut entries = self.names.iter_mut();
        if let Some(entry) = entries.find(|entry| entry.name == name) {
            entry.waiters.add(waiter, waker);
        }
    }

    /// Wakes everybody, to look again.
    pub(crate) fn wake_everybody(&mut self) {
        for entry in &mut self.names {
            entry.waiters.wake();
        }
    }
}

impl Kernel {
    /// The address of a name that [`canonical`] has made. `first` says that it is a new question.
    /// `NoEnt` when there is no such host, and whatever error the gateway names.
    pub(crate) fn resolve(&mut self, name: &str, first: bool) -> Result<Resolved, Errno> {
        if let Host::Address(address) = host(name, &self.hostname())? {
            return Ok(Resolved::Address(address));
        }
        match self.net.names.touch(name) {
            Some(entry) => match entry.state {
                State::Known => return Ok(Resolved::Address(entry.address)),
                State::Asked => return Ok(Resolved::Wait),
                State::Failed(errno) if !first => return Err(errno),
                State::Failed(_) => {}
            },
            None => {
                let address = self.net.names.insert(name, State::Asked);
                if !self.ask_for_name(name) {
                    self.net.names.answer(name, Ok(()));
                    return Ok(Resolved::Address(address));
                }
                return Ok(Resolved::Wait);
            }
        }
        let state = match self.ask_for_name(name) {
            true => State::Asked,
            false => State::Known,
        };
        let entry = self.net.names.touch(name).ok_or(Errno::NoEnt)?;
        entry.state = state;
        Ok(match entry.state {
            State::Known => Resolved::Address(entry.address),
            _ => Resolved::Wait,
        })
    }

    /// The name that an address stands for. `NoEnt` when there is none.
    pub(crate) fn name_of(&self, address: Ipv4Addr) -> Result<String, Errno> {
        if address.is_loopback() {
            return Ok("localhost".to_owned());
        }
        let name = self.net.names.name_of(address);
        name.map(str::to_owned).ok_or(Errno::NoEnt)
    }

    fn hostname(&self) -> String {
        codepod_vfs::ProcSource::hostname(&self.processes)
    }
}

/// What a name is, before anybody is asked.
#[derive(Debug, PartialEq, Eq)]
enum Host {
    Address(Ipv4Addr),
    Elsewhere,
}

/// Sorts a name: an address in writing, this sandbox, or somewhere else. `NoEnt` for what looks like
/// an address and is none.
fn host(name: &str, own: &str) -> Result<Host, Errno> {
    if name == "localhost" || name.ends_with(".localhost") || name.eq_ignore_ascii_case(own) {
        return Ok(Host::Address(Ipv4Addr::LOCALHOST));
    }
    let last = name.rsplit('.').next().unwrap_or_default();
    let is_number = !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit());
    if is_number || number(last).is_some() {
        return literal(name).map(Host::Address).ok_or(Errno::NoEnt);
    }
    Ok(Host::Elsewhere)
}

/// A name as it is looked up: in small letters, without a dot at its end. `Inval` for what cannot
/// be a host's name.
pub(crate) fn canonical(name: &[u8]) -> Result<String, Errno> {
    let name = name.strip_suffix(b".").unwrap_or(name);
    let fits = |label: &[u8]| {
        let letter = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        (1..=63).contains(&label.len()) && label.iter().all(letter)
    };
    if name.len() > HOST_NAME_BYTES || !name.split(|byte| *byte == b'.').all(fits) {
        return Err(Errno::Inval);
    }
    String::from_utf8(name.to_ascii_lowercase()).map_err(|_| Errno::Inval)
}

/// An IPv4 address in any of the forms that browsers and `inet_aton` read: one to four numbers, in
/// decimal, hexadecimal or octal, the last for all bytes that are left.
fn literal(name: &str) -> Option<Ipv4Addr> {
    let parts: Vec<u64> = name.split('.').map(number).collect::<Option<_>>()?;
    let (last, front) = parts.split_last()?;
    if front.len() > 3 || front.iter().any(|part| *part > 255) {
        return None;
    }
    let left = 4 - front.len() as u32;
    if *last >= 1 << (8 * left) {
        return None;
    }
    let high = front.iter().fold(0, |high, part| high << 8 | part);
    let address = high << (8 * left) | last;
    u32::try_from(address).ok().map(Ipv4Addr::from)
}

/// A number in decimal, in hexadecimal behind `0x`, or in octal behind `0`.
fn number(text: &str) -> Option<u64> {
    let (digits, radix) = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => (&text[2..], 16),
        [b'0', _, ..] => (&text[1..], 8),
        _ => (text, 10),
    };
    if digits.is_empty() {
        // `0x` alone is 0, nothing at all is no number.
        return (!text.is_empty()).then_some(0);
    }
    let all_digits = digits.bytes().all(|byte| byte.is_ascii_alphanumeric());
    all_digits.then(|| u64::from_str_radix(digits, radix).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(name: &str) -> Result<Host, Errno> {
        host(&canonical(name.as_bytes())?, "sandbox")
    }

    #[test]
    fn numbers_are_addresses_in_every_form() {
        for (name, expected) in [
            ("127.0.0.1", [127, 0, 0, 1]),
            ("127.1", [127, 0, 0, 1]),
            ("2130706433", [127, 0, 0, 1]),
            ("0x7f.1", [127, 0, 0, 1]),
            ("0x7F000001", [127, 0, 0, 1]),
            ("017700000001", [127, 0, 0, 1]),
            ("0300.0250.01.0x1", [192, 168, 1, 1]),
            ("169.254.43518", [169, 254, 169, 254]),
            ("10.0.0.1.", [10, 0, 0, 1]),
            ("0", [0, 0, 0, 0]),
            ("0x", [0, 0, 0, 0]),
            ("255.255.255.255", [255, 255, 255, 255]),
            ("localhost", [127, 0, 0, 1]),
            ("LocalHost.", [127, 0, 0, 1]),
            ("a.localhost", [127, 0, 0, 1]),
            ("sandbox", [127, 0, 0, 1]),
        ] {
            assert_eq!(address(name), Ok(Host::Address(expected.into())), "{name}");
        }
    }

    #[test]
    fn what_looks_like_an_address_and_is_none_is_not_asked_for() {
        for name in [
            "256.0.0.1",
            "1.2.3.4.5",
            "4294967296",
            "1.2.3.256",
            "08",
            "example.09",
            "a.1",
            "0x1ffffffff",
            "99999999999999999999999",
        ] {
            assert_eq!(address(name), Err(Errno::NoEnt), "{name}");
        }
        for name in ["", ".", "a..b", "a b", "-\u{e9}", "a/b", "a:80", "[::1]"] {
            assert_eq!(address(name), Err(Errno::Inval), "{name}");
        }
        let label = "x".repeat(63);
        let longest = [&*label, &label, &label, &"x".repeat(61)].join(".");
        assert_eq!(address(&longest), Ok(Host::Elsewhere));
        assert_eq!(address(&format!("{longest}x")), Err(Errno::Inval));
        assert_eq!(address(&format!("{label}x")), Err(Errno::Inval));
        for name in ["example.com", "0xyz", "1a", "x-1", "_dmarc.example.com"] {
            assert_eq!(address(name), Ok(Host::Elsewhere), "{name}");
        }
    }

    #[test]
    fn the_names_that_were_used_last_are_remembered() {
        let mut names = Names::default();
        let first = names.insert("first.test", State::Known);
        assert_eq!(first, Ipv4Addr::new(198, 18, 0, 1));
        for i in 0..MOST - 1 {
            names.insert(&format!("{i}.test"), State::Known);
        }
        assert!(names.touch("first.test").is_some());
        // One too many: the one that was used longest ago goes, and its address is nobody's.
        let last = names.insert("last.test", State::Known);
        assert_eq!(names.names.len(), MOST);
        assert!(names.touch("0.test").is_none());
        assert_eq!(names.name_of(Ipv4Addr::new(198, 18, 0, 2)), None);
        assert_eq!(names.name_of(first), Some("first.test"));
        assert_eq!(names.name_of(last), Some("last.test"));
    }

    #[test]
    fn addresses_stay_in_their_network_and_are_one_names_only() {
        let mut names = Names {
            given: ADDRESSES - 1,
            ..Names::default()
        };
        let last = names.insert("a.test", State::Known);
        assert_eq!(last, Ipv4Addr::new(198, 19, 255, 254));
        assert_eq!(
            names.insert("b.test", State::Known).octets(),
            [198, 18, 0, 1]
        );
        names.given = ADDRESSES - 1;
        assert_eq!(
            names.insert("c.test", State::Known).octets(),
            [198, 18, 0, 2]
        );
    }
}
