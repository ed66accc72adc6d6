//! What nc is asked to do.

use std::time::Duration;

use codepod_sys::socket::Kind;
use codepod_sys::socket::services;
use codepod_tool::{Arguments, Opt, Options, Usage, flag, value};

use crate::say;

#[derive(Clone, Copy)]
enum Key {
    Four,
    Crlf,
    Detached,
    Help,
    Interval,
    Keep,
    Listen,
    Shut,
    Numeric,
    Port,
    Quit,
    Random,
    Source,
    Unix,
    Datagram,
    Verbose,
    Most,
    Wait,
    Zero,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::Four, b'4', ""),
    flag(Key::Crlf, b'C', ""),
    flag(Key::Detached, b'd', ""),
    flag(Key::Help, b'h', ""),
    value(Key::Interval, b'i', ""),
    flag(Key::Keep, b'k', ""),
    flag(Key::Listen, b'l', ""),
    flag(Key::Shut, b'N', ""),
    flag(Key::Numeric, b'n', ""),
    value(Key::Port, b'p', ""),
    value(Key::Quit, b'q', ""),
    flag(Key::Random, b'r', ""),
    value(Key::Source, b's', ""),
    flag(Key::Unix, b'U', ""),
    flag(Key::Datagram, b'u', ""),
    flag(Key::Verbose, b'v', ""),
    value(Key::Most, b'W', ""),
    value(Key::Wait, b'w', ""),
    flag(Key::Zero, b'z', ""),
];

const USAGE: &str = "\
usage: nc [-4CdhklNnrUuvz] [-i interval] [-p source_port] [-q seconds]
\t  [-s sourceaddr] [-W recvlimit] [-w timeout] [destination] [port]
";

const HELP: &str = "\
\tCommand Summary:
\t\t-4\t\tUse IPv4
\t\t-C\t\tSend CRLF as line-ending
\t\t-d\t\tDetach from stdin
\t\t-h\t\tThis help text
\t\t-i interval\tDelay interval for lines sent, ports scanned
\t\t-k\t\tKeep inbound sockets open for multiple connects
\t\t-l\t\tListen mode, for inbound connects
\t\t-N\t\tShutdown the network socket after EOF on stdin
\t\t-n\t\tSuppress name/port resolutions
\t\t-p port\t\tSpecify local port for remote connects
\t\t-q secs\t\tquit after EOF on stdin and delay of secs
\t\t-r\t\tRandomize remote ports
\t\t-s sourceaddr\tLocal source address
\t\t-U\t\tUse UNIX domain socket
\t\t-u\t\tUDP mode
\t\t-v\t\tVerbose
\t\t-W recvlimit\tTerminate after receiving a number of packets
\t\t-w timeout\tTimeout for connects and final net reads
\t\t-z\t\tZero-I/O mode [used for scanning]
\tPort numbers can be individual or ranges: lo-hi [inclusive]
";

/// What to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) kind: Kind,
    pub(crate) listens: bool,
    pub(crate) keeps: bool,
    pub(crate) verbose: bool,
    pub(crate) numeric: bool,
    pub(crate) zero: bool,
    pub(crate) detached: bool,
    pub(crate) crlf: bool,
    pub(crate) shuts: bool,
    pub(crate) interval: Option<Duration>,
    /// Longest time to connect, and without anything to read.
    pub(crate) wait: Option<Duration>,
    /// Time after the end of standard input; none for as long as the peer wants.
    pub(crate) quit: Option<Duration>,
    /// How many times something may be received.
    pub(crate) most: Option<u64>,
    pub(crate) source: Option<Vec<u8>>,
    pub(crate) source_port: Option<u16>,
    pub(crate) place: Place,
}

/// Where to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    Path(Vec<u8>),
    /// A host and its ports in order; no host means all of the sandbox's addresses.
    Host(Option<Vec<u8>>, Vec<u16>),
}

/// What a command line wants.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    Help,
    Plan(Plan),
}

/// Prints the help. Returns its status, which is that of a failure, as in the real one.
pub(crate) fn help() -> i32 {
    say::line("OpenBSD netcat's options, in codepod");
    usage();
    say::line(HELP.trim_end_matches('\n'));
    1
}

fn usage() -> i32 {
    say::line(USAGE.trim_end_matches('\n'));
    1
}

/// Reads a command line. The error is nc's status, after it has said why.
pub(crate) fn read(arguments: Arguments) -> Result<Wanted, i32> {
    let mut plan = Plan {
        kind: Kind::Stream,
        listens: false,
        keeps: false,
        verbose: false,
        numeric: false,
        zero: false,
        detached: false,
        crlf: false,
        shuts: false,
        interval: None,
        wait: None,
        quit: None,
        most: None,
        source: None,
        source_port: None,
        place: Place::Host(None, Vec::new()),
    };
    let (mut help, mut unix, mut random) = (false, false, false);
    let (mut port, mut failed) = (None, None);
    let read = Options::new(TABLE, arguments).each(|key, value| {
        let value = value.unwrap_or_default();
        let mut seconds = |what: &str| match number(&value, i64::from(i32::MAX) / 1000) {
            Ok(seconds) => Some(Duration::from_secs(seconds)),
            Err(why) => {
                failed.get_or_insert(format!("{what} {why}: {}", say::text(&value)));
                None
            }
        };
        match key {
            Key::Four => {}
            Key::Crlf => plan.crlf = true,
            Key::Detached => plan.detached = true,
            Key::Help => help = true,
            Key::Interval => plan.interval = seconds("interval"),
            Key::Keep => plan.keeps = true,
            Key::Listen => plan.listens = true,
            Key::Shut => plan.shuts = true,
            Key::Numeric => plan.numeric = true,
            Key::Port => port = Some(value),
            // A negative time is for ever.
            Key::Quit if value.starts_with(b"-") => plan.quit = None,
            Key::Quit => plan.quit = seconds("quit timer"),
            Key::Random => random = true,
            Key::Source => plan.source = Some(value),
            Key::Unix => unix = true,
            Key::Datagram => plan.kind = Kind::Datagram,
            Key::Verbose => plan.verbose = true,
            Key::Most => match number(&value, i64::from(i32::MAX)) {
                Ok(most) if most > 0 => plan.most = Some(most),
                found => {
                    let why = found.err().unwrap_or("too small");
                    let text = format!("receive limit {why}: {}", say::text(&value));
                    failed.get_or_insert(text);
                }
            },
            Key::Wait => plan.wait = seconds("timeout"),
            Key::Zero => plan.zero = true,
        }
        Ok::<(), Usage>(())
    });
    let operands = read.map_err(|wrong| {
        say::failure(&wrong.message);
        usage()
    })?;
    if help {
        return Ok(Wanted::Help);
    }
    if let Some(message) = failed {
        return Err(say::failure(message));
    }
    let mut operands = operands.into_iter();
    let (first, second) = (operands.next(), operands.next());
    if operands.next().is_some() {
        return Err(usage());
    }
    if plan.zero && plan.listens {
        return Err(say::failure("cannot use -z and -l"));
    }
    if plan.keeps && !plan.listens {
        return Err(say::failure("must use -l with -k"));
    }
    plan.place = if unix {
        match (first, second) {
            (Some(path), None) => Place::Path(path),
            (Some(_), Some(_)) => return Err(usage()),
            _ => return Err(say::failure("missing socket pathname")),
        }
    } else {
        host(&mut plan, first, second, port, random)?
    };
    Ok(Wanted::Plan(plan))
}

/// The host and the ports of two operands and `-p`.
fn host(
    plan: &mut Plan,
    first: Option<Vec<u8>>,
    second: Option<Vec<u8>>,
    port: Option<Vec<u8>>,
    random: bool,
) -> Result<Place, i32> {
    if plan.listens {
        // `-l PORT`, `-l HOST PORT`, and with `-p PORT` none or the host.
        let (host, service) = match (first, second, port) {
            (None, None, Some(port)) => (None, port),
            (Some(host), None, Some(port)) => (Some(host), port),
            (Some(port), None, None) => (None, port),
            (Some(host), Some(port), None) => (Some(host), port),
            (None, ..) => return Err(say::failure("missing port number")),
            (Some(_), Some(_), Some(_)) => return Err(usage()),
        };
        let host = plan.source.take().or(host);
        return Ok(Place::Host(host, vec![port_of(&service, plan.kind)?]));
    }
    let (host, service) = match (first, second) {
        (Some(host), Some(service)) => (host, service),
        (Some(_), None) => return Err(say::failure("missing port number")),
        _ => return Err(usage()),
    };
    if let Some(port) = port {
        plan.source_port = Some(port_of(&port, plan.kind)?);
    }
    let mut ports = ports_of(&service, plan.kind)?;
    if random {
        shuffle(&mut ports);
    }
    Ok(Place::Host(Some(host), ports))
}

/// A number up to `most`, or OpenBSD's word for what is wrong with it.
fn number(text: &[u8], most: i64) -> Result<u64, &'static str> {
    let text = std::str::from_utf8(text).map_err(|_| "invalid")?;
    match text.trim_start().parse::<i64>() {
        Ok(number) if number < 0 => Err("too small"),
        Ok(number) if number > most => Err("too large"),
        Ok(number) => Ok(number.unsigned_abs()),
        Err(error) => Err(match error.kind() {
            std::num::IntErrorKind::PosOverflow => "too large",
            std::num::IntErrorKind::NegOverflow => "too small",
            _ => "invalid",
        }),
    }
}

fn port_of(service: &[u8], kind: Kind) -> Result<u16, i32> {
    let is_name = !service.iter().all(u8::is_ascii_digit);
    if is_name && let Some(port) = services::port(service, kind) {
        return Ok(port);
    }
    let found = match number(service, i64::from(u16::MAX)) {
        Ok(0) => Err("too small"),
        Ok(port) => u16::try_from(port).map_err(|_| "too large"),
        Err(why) => Err(why),
    };
    found.map_err(|why| say::failure(format!("port number {why}: {}", say::text(service))))
}

/// The ports of `PORT` or `LOW-HIGH`.
fn ports_of(service: &[u8], kind: Kind) -> Result<Vec<u16>, i32> {
    if services::port(service, kind).is_none()
        && let Some(dash) = service.iter().position(|byte| *byte == b'-')
    {
        let (low, high) = (
            port_of(&service[..dash], kind)?,
            port_of(&service[dash + 1..], kind)?,
        );
        return Ok((low.min(high)..=low.max(high)).collect());
    }
    Ok(vec![port_of(service, kind)?])
}

fn shuffle(ports: &mut [u16]) {
    for last in (1..ports.len()).rev() {
        ports.swap(last, codepod_sys::random::number() as usize % (last + 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(words: &str) -> Result<Plan, i32> {
        let words = words.split(' ').filter(|word| !word.is_empty());
        match read(words.map(|word| word.as_bytes().to_vec()).collect())? {
            Wanted::Plan(plan) => Ok(plan),
            Wanted::Help => Err(1),
        }
    }

    #[test]
    fn a_place_to_listen_is_written_in_four_ways() {
        let host = |host: &str| Some(host.as_bytes().to_vec());
        for (words, place) in [
            ("-l 80", Place::Host(None, vec![80])),
            ("-l localhost 80", Place::Host(host("localhost"), vec![80])),
            ("-lp 80", Place::Host(None, vec![80])),
            (
                "-l -p 80 localhost",
                Place::Host(host("localhost"), vec![80]),
            ),
            ("-lU path", Place::Path(b"path".to_vec())),
        ] {
            assert_eq!(plan(words).unwrap().place, place, "{words}");
        }
        assert_eq!(plan("-l -p 80 localhost 81"), Err(1));
        assert_eq!(plan("-l"), Err(1));
    }

    #[test]
    fn ports_are_numbers_names_and_ranges() {
        for (words, ports) in [
            ("h 80", vec![80]),
            ("h http", vec![80]),
            ("h ftp-data", vec![20]),
            ("h 3-1", vec![1, 2, 3]),
            ("h http-82", vec![80, 81, 82]),
        ] {
            let place = Place::Host(Some(b"h".to_vec()), ports);
            assert_eq!(plan(words).unwrap().place, place, "{words}");
        }
        for words in ["h 0", "h 65536", "h x", "h 1-x", "h", ""] {
            assert_eq!(plan(words), Err(1), "{words}");
        }
    }

    #[test]
    fn times_are_seconds() {
        let found = plan("-w 3 -q 0 h 1").unwrap();
        assert_eq!(found.wait, Some(Duration::from_secs(3)));
        assert_eq!(found.quit, Some(Duration::ZERO));
        assert_eq!(plan("-q -1 h 1").unwrap().quit, None);
        for words in ["-w x h 1", "-w -1 h 1", "-q x h 1", "-w 9999999999 h 1"] {
            assert_eq!(plan(words), Err(1), "{words}");
        }
    }
}
