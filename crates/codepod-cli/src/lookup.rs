//! Lookups of names for a program that is behind its wall.
//!
//! The host's own lookups read its configuration, load libraries and speak to its services, none of
//! which the wall allows. So they happen in a process beside it, which is this program once more:
//! it reads names, and writes addresses. It is there before the wall is, and ends with its input.
//!
//! ```text
//! to it:   NUMBER NAME
//! from it: NUMBER ok ADDRESS… | NUMBER none | NUMBER failed WHY
//! ```

use std::collections::HashMap;
use std::future::poll_fn;
use std::io::{self, BufRead, BufReader, Write};
use std::net::IpAddr;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

use codepod::Options;
use codepod::network::{BoxFuture, ResolveError, Resolver, SystemResolver};

use crate::failure::Failure;

/// The command that is the process beside.
pub(crate) const COMMAND: &str = "look-up-names";

/// Lookups at a time; each blocks a thread.
const MOST: usize = 16;

type Answer = Result<Vec<IpAddr>, ResolveError>;

/// The process beside, as its asker sees it.
#[derive(Debug)]
struct Lookups {
    questions: Mutex<ChildStdin>,
    /// Read by a thread, which the first question starts: before the wall there may be none.
    answers: Mutex<Option<ChildStdout>>,
    open: Arc<Mutex<Open>>,
    /// Kept, so that it is not taken for somebody else's.
    _process: Child,
}

#[derive(Debug, Default)]
struct Open {
    last: u64,
    /// Whether no answer comes any more.
    over: bool,
    asked: HashMap<u64, Asked>,
}

#[derive(Debug, Default)]
struct Asked {
    answer: Option<Answer>,
    waker: Option<Waker>,
}

/// The process for a sandbox with these options, if its program gets a wall that lookups cannot go
/// through.
pub(crate) fn beside(options: &Options) -> Result<Option<Arc<dyn Resolver>>, Failure> {
    match &options.network {
        // A recording has no names to look up.
        Some(network) if !network.is_replayed() => beside_wall(),
        _ => Ok(None),
    }
}

/// The process for a program that gets a wall.
pub(crate) fn beside_wall() -> Result<Option<Arc<dyn Resolver>>, Failure> {
    if cfg!(not(target_os = "linux")) {
        return Ok(None);
    }
    match Lookups::start() {
        Ok(lookups) => Ok(Some(Arc::new(lookups))),
        Err(error) => Err(Failure::new(
            format!("cannot start the process that looks names up: {error}"),
            "look whether this program may be executed and processes may be started here",
        )),
    }
}

impl Lookups {
    /// Starts the process.
    fn start() -> io::Result<Lookups> {
        let mut process = Command::new(std::env::current_exe()?)
            .arg(COMMAND)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let pipes = process.stdin.take().zip(process.stdout.take());
        let (questions, answers) = pipes.ok_or(io::ErrorKind::BrokenPipe)?;
        Ok(Lookups {
            questions: Mutex::new(questions),
            answers: Mutex::new(Some(answers)),
            open: Arc::default(),
            _process: process,
        })
    }

    fn ask(&self, name: &str) -> Result<u64, String> {
        if let Some(answers) = lock(&self.answers).take() {
            let open = self.open.clone();
            std::thread::Builder::new()
                .name("codepod-lookups".into())
                .spawn(move || read_answers(answers, &open))
                .map_err(|error| error.to_string())?;
        }
        let mut open = lock(&self.open);
        open.last += 1;
        let number = open.last;
        open.asked.insert(number, Asked::default());
        drop(open);
        let line = format!("{number} {name}\n");
        let written = lock(&self.questions).write_all(line.as_bytes());
        if written.is_err() {
            lock(&self.open).asked.remove(&number);
            return Err(OVER.into());
        }
        Ok(number)
    }
}

const OVER: &str = "the process for lookups has ended";

impl Resolver for Lookups {
    fn resolve(&self, name: String) -> BoxFuture<Answer> {
        let open = self.open.clone();
        let asked = if name.contains(|c: char| c.is_whitespace() || c.is_control()) {
            Err("the name has a space".to_owned())
        } else {
            self.ask(&name)
        };
        Box::pin(async move {
            let number = asked.map_err(ResolveError::Failed)?;
            let waiting = Waiting { open, number };
            poll_fn(|cx| {
                let mut open = lock(&waiting.open);
                let over = open.over;
                let Some(asked) = open.asked.get_mut(&number) else {
                    return Poll::Ready(Err(ResolveError::Failed(OVER.into())));
                };
                match asked.answer.take() {
                    Some(answer) => Poll::Ready(answer),
                    None if over => Poll::Ready(Err(ResolveError::Failed(OVER.into()))),
                    None => {
                        asked.waker = Some(cx.waker().clone());
                        Poll::Pending
                    }
                }
            })
            .await
        })
    }
}

/// A question that waits for its answer; dropped, nobody wants it any more.
struct Waiting {
    open: Arc<Mutex<Open>>,
    number: u64,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        lock(&self.open).asked.remove(&self.number);
    }
}

fn read_answers(answers: ChildStdout, open: &Mutex<Open>) {
    for line in BufReader::new(answers).lines() {
        let Ok(line) = line else { break };
        let Some((number, answer)) = line.split_once(' ') else {
            break;
        };
        let Ok(number) = number.parse::<u64>() else {
            break;
        };
        let mut open = lock(open);
        if let Some(asked) = open.asked.get_mut(&number) {
            asked.answer = Some(parse_answer(answer));
            let waker = asked.waker.take();
            drop(open);
            waker.into_iter().for_each(Waker::wake);
        }
    }
    let mut open = lock(open);
    open.over = true;
    let wakers: Vec<Waker> = open
        .asked
        .values_mut()
        .filter_map(|asked| asked.waker.take())
        .collect();
    drop(open);
    wakers.into_iter().for_each(Waker::wake);
}

fn parse_answer(answer: &str) -> Answer {
    let (word, rest) = answer.split_once(' ').unwrap_or((answer, ""));
    match word {
        "ok" => rest
            .split(' ')
            .map(|address| address.parse())
            .collect::<Result<Vec<IpAddr>, _>>()
            .map_err(|error| ResolveError::Failed(error.to_string())),
        "none" => Err(ResolveError::NotFound),
        _ => Err(ResolveError::Failed(rest.to_owned())),
    }
}

/// Is the process beside: answers until its input ends.
#[expect(clippy::print_stdout, reason = "the answers are the command's result")]
pub(crate) fn serve() -> u8 {
    let places = Arc::new((Mutex::new(0_usize), std::sync::Condvar::new()));
    for line in io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        let Some((number, name)) = line.split_once(' ') else {
            break;
        };
        let (number, name) = (number.to_owned(), name.to_owned());
        let (taken, freed) = &*places;
        let mut taken = lock(taken);
        while *taken >= MOST {
            taken = freed.wait(taken).unwrap_or_else(PoisonError::into_inner);
        }
        *taken += 1;
        drop(taken);
        let places = places.clone();
        let started = std::thread::Builder::new().spawn(move || {
            println!("{number} {}", look_up(&name));
            *lock(&places.0) -= 1;
            places.1.notify_one();
        });
        if started.is_err() {
            break;
        }
    }
    0
}

/// The answer, as a line of what is written.
fn look_up(name: &str) -> String {
    match SystemResolver::look_up(name) {
        Ok(addresses) if !addresses.is_empty() => {
            let addresses: Vec<String> = addresses.iter().map(IpAddr::to_string).collect();
            format!("ok {}", addresses.join(" "))
        }
        Ok(_) | Err(ResolveError::NotFound) => "none".into(),
        Err(ResolveError::Failed(why)) => format!("failed {}", why.replace('\n', " ")),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_as_it_was_written() {
        let both: Vec<IpAddr> = ["127.0.0.1", "::1"].map(|ip| ip.parse().unwrap()).into();
        assert_eq!(parse_answer("ok 127.0.0.1 ::1"), Ok(both));
        // No such name can be, so no host answers otherwise.
        assert_eq!(
            parse_answer(&look_up("a.invalid")),
            Err(ResolveError::NotFound)
        );
        assert_eq!(parse_answer("none"), Err(ResolveError::NotFound));
        let failed = |why: &str| Err(ResolveError::Failed(why.into()));
        assert_eq!(parse_answer("failed no route"), failed("no route"));
        assert!(parse_answer("ok 1.2.3.4 nonsense").is_err());
    }
}
