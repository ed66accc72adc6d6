//! Downloads that sandboxes share: once from the server, and nobody's own.

mod support;

use std::fs;
use std::io::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use codepod_gateway::net::{Downloads, DownloadsSpec};
use support::servers::{read_request, serve, strict};
use support::sharing::{asked, body, came, downloads, get, kept, lasting, with, world};
use support::{World, status, text};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_who_ask_at_once_get_one_download() {
    const GUESTS: usize = 1000;
    let place = tempfile::tempdir().unwrap();
    let shared = downloads(place.path());
    let file: Arc<[u8]> = (0..300_000u32).map(|i| (i % 251) as u8).collect();
    let (served, arrived) = (Arc::<AtomicUsize>::default(), Arc::<AtomicUsize>::default());
    let (count, waiting, content) = (served.clone(), arrived.clone(), file.clone());
    let server = serve(move |mut stream| {
        while let Some(_request) = read_request(&mut stream) {
            count.fetch_add(1, Ordering::SeqCst);
            let reply = lasting(&content);
            let (first, rest) = reply.split_at(100_000);
            stream.write_all(first).unwrap();
            // The rest comes when everybody has asked, and has got the beginning.
            while waiting.load(Ordering::SeqCst) < GUESTS {
                std::thread::sleep(Duration::from_millis(1));
            }
            stream.write_all(rest).unwrap();
        }
    });
    // A sandbox has at most 32 connections.
    let worlds: Vec<World> = (0..GUESTS / 20).map(|_| world(server, &shared)).collect();
    let mut guests = tokio::task::JoinSet::new();
    for i in 0..GUESTS {
        let (world, arrived) = (worlds[i / 20].clone(), arrived.clone());
        guests.spawn(async move {
            arrived.fetch_add(1, Ordering::SeqCst);
            get(&world, "/wheel.whl", "").await
        });
    }
    while let Some(reply) = guests.join_next().await {
        assert!(body(&reply.unwrap()) == &*file);
    }
    let came: Vec<_> = worlds.iter().flat_map(came).collect();
    let count = |word| came.iter().filter(|other| **other == word).count();
    let (fetched, others) = (count("fetched"), count("joined") + count("kept"));
    assert_eq!(served.load(Ordering::SeqCst), 1);
    assert_eq!((fetched, others), (1, GUESTS - 1));
    // Later, and in another process, nobody asks the server.
    let reply = get(&worlds[0], "/wheel.whl", "").await;
    assert!(body(&reply) == &*file);
    let reply = get(&world(server, &downloads(place.path())), "/wheel.whl", "").await;
    assert!(body(&reply) == &*file && text(&reply[..500]).contains("max-age=3600"));
    assert_eq!(served.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn what_is_old_is_asked_about_and_not_fetched_again() {
    let place = tempfile::tempdir().unwrap();
    let (server, log) = strict(|request| {
        match text(request).contains("If-None-Match: \"7\"")
            || text(request).contains("if-none-match: \"7\"")
        {
            true => b"HTTP/1.1 304 Not Modified\r\nETag: \"7\"\r\n\r\n".to_vec(),
            false => with("ETag: \"7\"\r\n", b"a page"),
        }
    });
    let world = world(server, &downloads(place.path()));
    for _ in 0..3 {
        let reply = get(&world, "/simple/", "").await;
        assert_eq!((status(&reply), body(&reply)), (200, &b"a page"[..]));
    }
    assert_eq!(asked(&log), 3);
    let sent = log.lock().unwrap();
    assert_eq!(
        sent.iter()
            .filter(|request| text(request).to_lowercase().contains("if-none-match"))
            .count(),
        2
    );
}

// SN-04
#[tokio::test]
async fn sn_04_what_is_somebodys_is_not_shared() {
    let place = tempfile::tempdir().unwrap();
    let number = AtomicUsize::new(0);
    let (server, log) = strict(move |request| {
        let fields = match text(request).split(' ').nth(1).unwrap() {
            "/cookie" => "Cache-Control: max-age=60\r\nSet-Cookie: a=b\r\n",
            "/private" => "Cache-Control: max-age=60, private\r\n",
            "/vary" => "Cache-Control: max-age=60\r\nVary: User-Agent\r\n",
            _ => "Cache-Control: max-age=60\r\n",
        };
        let count = number.fetch_add(1, Ordering::SeqCst);
        with(fields, count.to_string().as_bytes())
    });
    let world = world(server, &downloads(place.path()));
    let mut wanted = 0;
    for (path, fields) in [
        ("/cookie", ""),
        ("/private", ""),
        ("/vary", ""),
        ("/file", "Authorization: Basic eDp5\r\n"),
        ("/file", "Cookie: session=1\r\n"),
        ("/file", "Range: bytes=0-1\r\n"),
    ] {
        for _ in 0..2 {
            let reply = get(&world, path, fields).await;
            assert_eq!(text(body(&reply)), wanted.to_string(), "{path} {fields}");
            wanted += 1;
        }
    }
    assert_eq!((asked(&log), came(&world).len()), (wanted, 0));
    // Nor is what another host gives, whom the embedder has not named.
    let mut other = World::new(&["http://other.test"], &[("other.test", server)], |_| {});
    other.gateway = world.gateway.clone();
    let request = b"GET /file HTTP/1.1\r\nHost: other.test\r\nConnection: close\r\n\r\n";
    for _ in 0..2 {
        other.exchange("other.test", 80, request).await;
    }
    assert_eq!(asked(&log), wanted + 2);
}

// NW-17
#[tokio::test]
async fn nw_17_a_server_that_one_sandbox_calls_by_a_name_is_not_that_of_another() {
    let place = tempfile::tempdir().unwrap();
    let shared = downloads(place.path());
    let (theirs, _) = strict(|_| lasting(b"poison"));
    let (real, _) = strict(|_| lasting(b"the real one"));
    let attacker = world(theirs, &shared);
    assert_eq!(body(&get(&attacker, "/w.whl", "").await), b"poison");
    let victim = world(real, &shared);
    assert_eq!(body(&get(&victim, "/w.whl", "").await), b"the real one");
    assert_eq!(body(&get(&attacker, "/w.whl", "").await), b"poison");
}

// NW-11
#[tokio::test]
async fn nw_11_a_download_that_breaks_is_not_kept() {
    let place = tempfile::tempdir().unwrap();
    let times = Arc::new(Mutex::new(0));
    let count = times.clone();
    let server = serve(move |mut stream| {
        while read_request(&mut stream).is_some() {
            let reply = lasting(&[b'x'; 5000]);
            let mut times = count.lock().unwrap();
            *times += 1;
            match *times {
                1 => {
                    let _ = stream.write_all(&reply[..2000]);
                    return;
                }
                _ => stream.write_all(&reply).unwrap(),
            }
        }
    });
    let world = world(server, &downloads(place.path()));
    assert!(body(&get(&world, "/w.whl", "").await).len() < 5000);
    assert_eq!(body(&get(&world, "/w.whl", "").await).len(), 5000);
    assert_eq!(body(&get(&world, "/w.whl", "").await).len(), 5000);
    assert_eq!(*times.lock().unwrap(), 2);
    assert_eq!(fs::read_dir(place.path().join("new")).unwrap().count(), 0);
}

#[tokio::test]
async fn what_is_damaged_is_fetched_again_and_what_is_too_much_goes() {
    let place = tempfile::tempdir().unwrap();
    let (server, log) = strict(|_| lasting(&[b'y'; 1000]));
    kept(&world(server, &downloads(place.path())), "/1").await;
    let bodies = || fs::read_dir(place.path().join("bodies")).unwrap();
    let file = bodies().next().unwrap().unwrap().path();
    fs::write(&file, [b'z'; 1000]).unwrap();
    let again = world(server, &downloads(place.path()));
    let reply = get(&again, "/1", "").await;
    kept(&again, "/1").await;
    assert_eq!((body(&reply)[0], asked(&log)), (b'y', 2));
    kept(&world(server, &downloads(place.path())), "/2").await;
    assert_eq!(asked(&log), 3);
    for head in fs::read_dir(place.path().join("heads")).unwrap() {
        fs::write(head.unwrap().path(), "codepod download 1\nbody x 99\n").unwrap();
    }
    kept(&world(server, &downloads(place.path())), "/2").await;
    assert_eq!(asked(&log), 4);

    let mut spec = DownloadsSpec::new(place.path(), ["http://index.test"]);
    spec.bytes = 10_000;
    let number = AtomicUsize::new(0);
    let (server, log) = strict(move |request| {
        let count = number.fetch_add(1, Ordering::SeqCst);
        match text(request).contains("/large") {
            true => lasting(&[b'l'; 2501]),
            false => lasting(&[[b'a' + count as u8; 999].as_slice(), b"\n"].concat()),
        }
    });
    let world = world(server, &Downloads::new(spec).unwrap());
    for i in 0..20 {
        kept(&world, &format!("/{i}")).await;
    }
    assert!(bodies().count() <= 10, "{}", bodies().count());
    // A body of more than a quarter is for whoever asked.
    get(&world, "/large", "").await;
    get(&world, "/large", "").await;
    assert_eq!(asked(&log), 22);
}

#[cfg(unix)]
#[test]
fn a_directory_that_is_not_ours_alone_is_refused() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = tempfile::tempdir().unwrap();
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let made = Downloads::new(DownloadsSpec::new(place.path(), ["http://index.test"]));
    assert!(made.unwrap_err().to_string().contains("others may write"));
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o700)).unwrap();
    // Root gives its directory away; nobody else can, and root's is somebody else's then.
    let theirs = match std::os::unix::fs::chown(place.path(), Some(65534), None) {
        Ok(()) => place.path(),
        Err(_) => std::path::Path::new("/"),
    };
    let made = Downloads::new(DownloadsSpec::new(theirs, ["http://index.test"]));
    assert!(made.unwrap_err().to_string().contains("somebody else"));
    let place = tempfile::tempdir().unwrap();
    let made = Downloads::new(DownloadsSpec::new(
        place.path().join("own"),
        ["http://*.com"],
    ));
    assert!(made.is_err(), "a rule for everybody's names");
}
