//! A terminal over WebSocket: `bash` on a terminal of the sandbox. Binary messages are bytes, in
//! both directions.
//!
//! The two directions do not wait for each other. A terminal ends with its shell, with its client,
//! after some time in which neither says anything, and in any case after a long time.

use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use codepod::{PipeReader, PipeWriter, Running, Sandbox};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt as _, StreamExt as _};
use serde::Deserialize;
use tokio::sync::Notify;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep_until, timeout};

use super::App;
use super::request::find;
use super::response::failed;
use crate::failure::failure;
use crate::lock::lock;
use crate::tenant::Place;

/// The largest message of a client.
const MESSAGE: usize = 64 << 10;
/// How long a command that has closed its terminal may take to end.
const ENDING: Duration = Duration::from_secs(5);
/// Messages that wait before the other side does.
const WAITING: usize = 64;
/// How long a program may leave typed messages where they are, once there is no room for more. What
/// is typed then is lost, as on any terminal, and the bell rings.
const UNREAD: Duration = Duration::from_secs(2);
/// How often a client is asked whether it is there.
const PING: Duration = Duration::from_secs(30);
/// A client that has said nothing for so long, not even that it is there, has gone.
const GONE: Duration = Duration::from_secs(75);
/// How much longer than a command a terminal may last.
const TIMES_LONGER: u32 = 6;
/// Longer than any terminal lasts.
const FOR_EVER: Duration = Duration::from_secs(365 * 24 * 3600);
/// What rings.
const BELL: &[u8] = b"\x07";

/// How large the terminal is.
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Size {
    rows: u16,
    columns: u16,
}

impl Default for Size {
    fn default() -> Size {
        Size {
            rows: 24,
            columns: 80,
        }
    }
}

/// How long a terminal may last.
#[derive(Clone, Copy)]
struct Limits {
    /// Without a byte in either direction.
    idle: Duration,
    /// In any case.
    longest: Duration,
}

/// Opens a terminal.
pub(super) async fn open(
    State(app): State<Arc<App>>,
    Path(sandbox): Path<String>,
    size: Result<Query<Size>, axum::extract::rejection::QueryRejection>,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, axum::extract::ws::rejection::WebSocketUpgradeRejection>,
) -> Response {
    let (live, place) = match find(&app, &headers, sandbox).await {
        Ok(found) => found,
        Err(error) => return failed(&error),
    };
    let (upgrade, Query(size)) = match (upgrade, size) {
        (Ok(upgrade), Ok(size)) => (upgrade, size),
        (Err(error), _) => return error.into_response(),
        (_, Err(error)) => return error.into_response(),
    };
    let seconds = |seconds: u64| Duration::from_secs(seconds).min(FOR_EVER);
    let limits = Limits {
        idle: seconds(app.config.terminal_idle_seconds),
        longest: seconds(app.config.ceiling.timeout_seconds) * TIMES_LONGER,
    };
    upgrade
        .max_message_size(MESSAGE)
        .max_frame_size(MESSAGE)
        .on_upgrade(move |socket| talk(socket, live.sandbox.clone(), size, limits, place))
}

/// Why a terminal ends.
#[derive(Clone, Copy)]
enum End {
    /// Its shell has ended, or will in a moment.
    Shell,
    /// Its client has left.
    Left,
    /// Nothing happened for too long.
    Idle,
    /// It has lasted as long as it may.
    Old,
}

async fn talk(socket: WebSocket, sandbox: Sandbox, size: Size, limits: Limits, place: Place) {
    let (mut to, from) = socket.split();
    let begun = tokio::task::spawn_blocking(move || start(&sandbox, &size)).await;
    let reason = match begun {
        Ok(Ok(running)) => drive(&mut to, from, running, limits).await,
        Ok(Err(message)) => message,
        Err(_) => "codepod failed".into(),
    };
    let close = CloseFrame {
        code: 1000,
        reason: reason.chars().take(100).collect::<String>().into(),
    };
    let _ = timeout(ENDING, to.send(Message::Close(Some(close)))).await;
    drop(place);
}

/// Lets client and shell talk until the terminal ends; why it did, in words.
async fn drive(
    to: &mut SplitSink<WebSocket, Message>,
    from: SplitStream<WebSocket>,
    running: Running,
    limits: Limits,
) -> String {
    let killer = running.killer();
    let (shown, mut show) = channel(WAITING);
    let (typed, take) = channel(WAITING);
    let mut running = pin!(tokio::task::spawn_blocking(move || run(
        running, shown, take
    )));
    let (life, bell) = (Life::new(), Notify::new());
    let end = tokio::select! {
        end = receive(from, &typed, &life, &bell) => end,
        end = send(to, &mut show, &life, &bell) => end,
        end = life.end(limits) => end,
    };
    let mut ended = None;
    if let End::Shell = end {
        ended = timeout(ENDING, &mut running).await.ok();
    }
    // Who waits for more to be typed ends the command then: not before it could end by itself.
    drop((typed, show));
    let ended = match ended {
        Some(ended) => ended,
        None => {
            // Nobody may be reading what was typed: only this is sure to end it.
            let _ = tokio::task::spawn_blocking(move || killer.kill()).await;
            running.await
        }
    };
    match (end, ended) {
        (End::Idle, _) => "nothing happened for too long".into(),
        (End::Old, _) => "the terminal's time is over".into(),
        (_, Ok(Ok(status))) => format!("exit {status}"),
        (_, Ok(Err(message))) => message,
        (_, Err(_)) => "codepod failed".into(),
    }
}

/// When something happened last.
struct Life {
    began: Instant,
    /// When bytes moved last, and when the client was heard of last.
    moved: Mutex<(Instant, Instant)>,
}

impl Life {
    fn new() -> Life {
        let began = Instant::now();
        Life {
            began,
            moved: Mutex::new((began, began)),
        }
    }

    /// Notes that bytes have moved.
    fn moved(&self) {
        lock(&self.moved).0 = Instant::now();
    }

    /// Notes that the client is there.
    fn heard(&self) {
        lock(&self.moved).1 = Instant::now();
    }

    /// Ends when the terminal is to end.
    async fn end(&self, limits: Limits) -> End {
        loop {
            let (moved, heard) = *lock(&self.moved);
            let ends = [
                (moved + limits.idle, End::Idle),
                (heard + GONE, End::Left),
                (self.began + limits.longest, End::Old),
            ];
            let now = Instant::now();
            if let Some((_, end)) = ends.iter().find(|(at, _)| *at <= now) {
                return *end;
            }
            let next = ends.iter().map(|(at, _)| *at).min();
            sleep_until(next.unwrap_or(now)).await;
        }
    }
}

/// Passes on what the client types, until it leaves.
async fn receive(
    mut from: SplitStream<WebSocket>,
    typed: &Sender<Vec<u8>>,
    life: &Life,
    bell: &Notify,
) -> End {
    // Whether the program has let typed messages lie for too long.
    let mut unread = false;
    loop {
        let message = from.next().await;
        life.heard();
        let bytes = match message {
            Some(Ok(Message::Binary(bytes))) => bytes.to_vec(),
            Some(Ok(Message::Text(text))) => text.as_bytes().to_vec(),
            Some(Ok(Message::Close(_)) | Err(_)) | None => return End::Left,
            Some(Ok(_)) => continue,
        };
        life.moved();
        let patience = if unread { Duration::ZERO } else { UNREAD };
        unread = false;
        match timeout(patience, typed.reserve()).await {
            Ok(Ok(room)) => room.send(bytes),
            // The shell takes no more: it ends, which the other direction sees.
            Ok(Err(_)) => std::future::pending().await,
            Err(_) => {
                unread = true;
                bell.notify_one();
            }
        }
    }
}

/// Passes on what the shell shows, until it ends or the client cannot be reached.
async fn send(
    to: &mut SplitSink<WebSocket, Message>,
    show: &mut Receiver<Vec<u8>>,
    life: &Life,
    bell: &Notify,
) -> End {
    let mut ping = interval_at(Instant::now() + PING, PING);
    ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let (message, moves) = tokio::select! {
            bytes = show.recv() => match bytes {
                Some(bytes) => (Message::Binary(bytes.into()), true),
                None => return End::Shell,
            },
            () = bell.notified() => (Message::Binary(BELL.into()), false),
            _ = ping.tick() => (Message::Ping(Vec::new().into()), false),
        };
        if to.send(message).await.is_err() {
            return End::Left;
        }
        if moves {
            life.moved();
        }
    }
}

fn start(sandbox: &Sandbox, size: &Size) -> Result<Running, String> {
    let command = sandbox.command(["bash", "-i"]);
    Running::start_on_terminal(command, size.rows.into(), size.columns.into())
        .map_err(|error| failure(error).message)
}

/// Runs `bash` until it ends or is ended; its status.
fn run(
    mut running: Running,
    shown: Sender<Vec<u8>>,
    take: Receiver<Vec<u8>>,
) -> Result<i32, String> {
    let (stdin, stdout) = (running.stdin.take(), running.stdout.take());
    let killer = running.killer();
    // Ends with the client's side, which may be after the command.
    std::thread::spawn(move || {
        type_in(stdin, take);
        killer.kill();
    });
    std::thread::scope(|scope| {
        scope.spawn(move || show(stdout, &shown));
        running
            .wait_blocking()
            .map(|status| status.code())
            .map_err(|error| failure(error).message)
    })
}

fn type_in(stdin: Option<PipeWriter>, mut take: Receiver<Vec<u8>>) {
    let Some(mut stdin) = stdin else {
        return;
    };
    while let Some(bytes) = take.blocking_recv() {
        if !stdin.write_all_blocking(&bytes).unwrap_or(false) {
            return;
        }
    }
}

fn show(stdout: Option<PipeReader>, shown: &Sender<Vec<u8>>) {
    let Some(mut stdout) = stdout else {
        return;
    };
    let mut buffer = vec![0; MESSAGE];
    while let Ok(read @ 1..) = stdout.read_blocking(&mut buffer) {
        if shown.blocking_send(buffer[..read].to_vec()).is_err() {
            return;
        }
    }
}
