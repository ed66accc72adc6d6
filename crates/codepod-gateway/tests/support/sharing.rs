//! A sandbox whose downloads are shared, and replies that may be.

use std::net::SocketAddr;
use std::path::Path;

use codepod_gateway::event::Event;
use codepod_gateway::net::{Downloads, DownloadsSpec, Gateway, GatewayOptions};

use super::World;
use super::servers::Log;

/// A reply with a body that everybody may keep for an hour.
pub(crate) fn lasting(body: &[u8]) -> Vec<u8> {
    with("Cache-Control: max-age=3600\r\n", body)
}

pub(crate) fn with(fields: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 200 OK\r\n{fields}Content-Length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

pub(crate) fn downloads(directory: &Path) -> Downloads {
    Downloads::new(DownloadsSpec::new(directory, ["http://index.test"])).unwrap()
}

/// A sandbox's network in which `index.test` is a server and replies are shared.
pub(crate) fn world(server: SocketAddr, downloads: &Downloads) -> World {
    let hosts = [("index.test", server)];
    sharing(
        World::new(&["http://index.test"], &hosts, |_| {}),
        downloads,
    )
}

pub(crate) async fn get(world: &World, path: &str, fields: &str) -> Vec<u8> {
    let request =
        format!("GET {path} HTTP/1.1\r\nHost: index.test\r\n{fields}Connection: close\r\n\r\n");
    world.exchange("index.test", 80, request.as_bytes()).await
}

/// Asks until what was fetched is kept: that is so a moment after whoever asked has it.
pub(crate) async fn kept(world: &World, path: &str) {
    loop {
        get(world, path, "").await;
        if came(world).last() == Some(&"kept") {
            return;
        }
    }
}

/// The body of a reply; nothing where a connection broke before its head was sent.
pub(crate) fn body(reply: &[u8]) -> &[u8] {
    let end = reply.windows(4).position(|four| four == b"\r\n\r\n");
    end.map_or(&[], |end| &reply[end + 4..])
}

pub(crate) fn asked(log: &Log) -> usize {
    log.lock().unwrap().len()
}

/// How the replies came.
pub(crate) fn came(world: &World) -> Vec<&'static str> {
    let events = world.events().into_iter();
    let came = events.filter_map(|event| match event {
        Event::Request(event) => event.came,
        Event::Denied(_) | Event::SecretLeak { .. } => None,
    });
    came.collect()
}

/// Such that only what is kept is given.
pub(crate) fn offline(directory: &Path, from: &str) -> Downloads {
    let mut spec = DownloadsSpec::new(directory, [from]);
    spec.offline = true;
    Downloads::new(spec).unwrap()
}

/// The world with a gateway of its own, in which these downloads are shared.
pub(crate) fn sharing(mut world: World, downloads: &Downloads) -> World {
    world.gateway = Gateway::new(GatewayOptions {
        resolver: world.script.clone(),
        threads: 2,
        downloads: Some(downloads.clone()),
    });
    world
}

/// The SHA-256 of bytes, in hexadecimal.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    let digest = <sha2::Sha256 as sha2::Digest>::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
