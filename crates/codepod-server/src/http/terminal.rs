//! A terminal over WebSocket: `bash` on a terminal of the sandbox. Binary messages are bytes, in both directions.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use codepod::{PipeReader, PipeWriter, Running, Sandbox};
use serde::Deserialize;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::App;
use super::request::{authorize, failed};
use crate::failure::failure;
use crate::tenant::Place;

/// The largest message of a client.
const MESSAGE: usize = 64 << 10;
/// How long a command that has closed its terminal may take to end.
const ENDING: Duration = Duration::from_secs(5);
/// Messages that wait before the other side does.
const WAITING: usize = 64;

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

/// Opens a terminal.
pub(super) async fn open(
    State(app): State<Arc<App>>,
    Path(sandbox): Path<String>,
    size: Result<Query<Size>, axum::extract::rejection::QueryRejection>,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, axum::extract::ws::rejection::WebSocketUpgradeRejection>,
) -> Response {
    let begin = || {
        let tenant = authorize(&app, &headers)?;
        let place = tenant.take_request()?;
        let held = app.server.find(&tenant, &sandbox)?;
        Ok((held.sandbox.clone(), place))
    };
    let (sandbox, place) = match begin() {
        Ok(begun) => begun,
        Err(error) => return failed(&error),
    };
    let (upgrade, Query(size)) = match (upgrade, size) {
        (Ok(upgrade), Ok(size)) => (upgrade, size),
        (Err(error), _) => return error.into_response(),
        (_, Err(error)) => return error.into_response(),
    };
    upgrade
        .max_message_size(MESSAGE)
        .max_frame_size(MESSAGE)
        .on_upgrade(move |socket| talk(socket, sandbox, size, place))
}

async fn talk(mut socket: WebSocket, sandbox: Sandbox, size: Size, place: Place) {
    let (shown, mut show) = channel(WAITING);
    let (typed, take) = channel(WAITING);
    let mut running = tokio::task::spawn_blocking(move || run(&sandbox, &size, shown, take));
    let mut ended = None;
    loop {
        tokio::select! {
            bytes = show.recv() => match bytes {
                Some(bytes) => if socket.send(Message::Binary(Vec::into(bytes))).await.is_err() { break },
                // It has ended, or will in a moment.
                None => {
                    ended = tokio::time::timeout(ENDING, &mut running).await.ok();
                    break;
                }
            },
            message = socket.recv() => match message {
                Some(Ok(Message::Binary(bytes))) => if typed.send(bytes.to_vec()).await.is_err() { break },
                Some(Ok(Message::Text(text))) => if typed.send(text.as_bytes().to_vec()).await.is_err() { break },
                Some(Ok(Message::Close(_)) | Err(_)) | None => break,
                Some(Ok(_)) => {}
            },
        }
    }
    // Whoever runs it notices that nobody types or looks any more.
    drop((typed, show));
    let ended = match ended {
        Some(ended) => ended,
        None => running.await,
    };
    let reason = match ended {
        Ok(Ok(status)) => format!("exit {status}"),
        Ok(Err(message)) => message,
        Err(_) => "codepod failed".into(),
    };
    let close = CloseFrame {
        code: 1000,
        reason: reason.chars().take(100).collect::<String>().into(),
    };
    let _ = socket.send(Message::Close(Some(close))).await;
    drop(place);
}

/// Runs `bash` until it ends or the client leaves; its status.
fn run(
    sandbox: &Sandbox,
    size: &Size,
    shown: Sender<Vec<u8>>,
    take: Receiver<Vec<u8>>,
) -> Result<i32, String> {
    let told = |error| failure(error).message;
    let command = sandbox.command(["bash", "-i"]);
    let mut running =
        Running::start_on_terminal(command, size.rows.into(), size.columns.into()).map_err(told)?;
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
            .map_err(told)
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
