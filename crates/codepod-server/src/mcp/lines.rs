//! Lines between a client and the protocol's library, which says nothing about lines that are no
//! messages: those are answered here, as JSON-RPC wants it.

use serde::Deserialize;
use serde::de::IgnoredAny;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::io::{DuplexStream, duplex};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::JoinHandle;

/// Bytes on their way.
const ROOM: usize = 64 << 10;
/// Answers on their way; a client that reads none is not read from either.
const REFUSALS: usize = 64;

/// The two streams for the library, and what ends once everything is written.
pub(super) struct Passed {
    pub(super) input: DuplexStream,
    pub(super) output: DuplexStream,
    pub(super) writing: JoinHandle<()>,
}

/// Passes lines on between a client's streams and those for the library.
pub(super) fn pass(
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
) -> Passed {
    let (to_library, from_client) = duplex(ROOM);
    let (to_client, from_library) = duplex(ROOM);
    let (refuse, refused) = channel(REFUSALS);
    tokio::spawn(read(input, to_library, refuse));
    Passed {
        input: from_client,
        output: to_client,
        writing: tokio::spawn(write(from_library, refused, output)),
    }
}

/// Reads lines until there are no more; those that are no messages are answered.
async fn read(input: impl AsyncRead + Unpin, mut to: DuplexStream, refuse: Sender<&'static str>) {
    let mut input = BufReader::new(input);
    let mut line = Vec::new();
    while let Ok(1..) = input.read_until(b'\n', &mut line).await {
        let text = line.trim_ascii();
        let answered = match refusal(text) {
            Some(answer) => refuse.send(answer).await.is_ok(),
            None => to.write_all(&line).await.is_ok(),
        };
        if !answered {
            return;
        }
        line.clear();
        // What one large message took is not kept for the small ones.
        line.shrink_to(ROOM);
    }
}

/// Writes what the library says and the answers to what it has not seen, each as a whole line.
async fn write(
    from: DuplexStream,
    mut refused: Receiver<&'static str>,
    mut output: impl AsyncWrite + Unpin,
) {
    let mut from = BufReader::new(from);
    let mut line = Vec::new();
    loop {
        // Of a line that was read in part the rest comes with the next turn.
        let answer = tokio::select! {
            read = from.read_until(b'\n', &mut line) => match read {
                Ok(1..) => None,
                _ => return,
            },
            Some(answer) = refused.recv() => Some(answer),
        };
        let bytes = answer.map_or(&*line, str::as_bytes);
        let written = output.write_all(bytes).await.is_ok() && output.flush().await.is_ok();
        if !written {
            return;
        }
        if answer.is_none() {
            line.clear();
            line.shrink_to(ROOM);
        }
    }
}

/// A message has one of these.
#[derive(Deserialize)]
struct Message {
    method: Option<IgnoredAny>,
    result: Option<IgnoredAny>,
    error: Option<IgnoredAny>,
}

/// The answer to a line that is no message; `None` for one that the library may see.
fn refusal(line: &[u8]) -> Option<&'static str> {
    const NOT_JSON: &str = concat!(
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the line is not JSON"}}"#,
        "\n"
    );
    const NO_MESSAGE: &str = concat!(
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the line is not a message of JSON-RPC 2.0"}}"#,
        "\n"
    );
    if line.is_empty() {
        return None;
    }
    match serde_json::from_slice::<Message>(line) {
        // Without a name a sequence of three would do.
        Ok(_) if !line.starts_with(b"{") => Some(NO_MESSAGE),
        Ok(Message {
            method: None,
            result: None,
            error: None,
        }) => Some(NO_MESSAGE),
        Ok(_) => None,
        Err(error) if error.is_data() => Some(NO_MESSAGE),
        Err(_) => Some(NOT_JSON),
    }
}
