//! Filling the downloads from a lock file, and being offline afterwards.

mod support;

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex};

use codepod_gateway::RuleSpec;
use codepod_gateway::cptls::hello;
use codepod_gateway::net::{Downloads, DownloadsSpec, Outcome, PullError, PullSpec, Pulled};
use codepod_gateway::packages::lock_file::LockFile;
use codepod_gateway::policy::TlsSpec;
use support::cptls_client::{shake, talk};
use support::servers::{Ca, Log, strict, strict_tls};
use support::sharing::{body, came, sha256, sharing, with};
use support::{World, status, text};

const INDEX: &str = "http://index.test/simple";
const HTML: &str = "Content-Type: text/html\r\n";

/// The servers that are shared, both of which are at `server`.
fn spec(place: &Path) -> DownloadsSpec {
    DownloadsSpec::new(place, ["http://index.test", "http://files.test"])
}

fn hosts(server: SocketAddr) -> [(&'static str, SocketAddr); 2] {
    [("index.test", server), ("files.test", server)]
}

async fn pull(own: &Downloads, server: SocketAddr, index: &str, lock: &str) -> Vec<Pulled> {
    let entries = LockFile::parse("requirements.txt", lock).unwrap().entries;
    let mut spec = PullSpec::new(index, entries);
    let hosts = hosts(server).map(|(name, at)| (name.to_owned(), at.to_string()));
    spec.hosts = hosts.into();
    let told = Arc::<Mutex<Vec<Pulled>>>::default();
    let (own, hear) = (own.clone(), told.clone());
    let pulled = tokio::task::spawn_blocking(move || {
        own.pull(spec, move |pulled| {
            hear.lock().unwrap().push(pulled.clone())
        })
    });
    let pulled = pulled.await.unwrap().unwrap();
    let mut told = told.lock().unwrap().clone();
    told.sort_by_key(|pulled| pulled.number);
    assert_eq!(told, pulled);
    pulled
}

/// What became of the only package.
fn only(pulled: Vec<Pulled>) -> Outcome {
    assert_eq!(pulled.len(), 1);
    pulled.into_iter().next().unwrap().outcome
}

fn failure(pulled: Vec<Pulled>) -> String {
    match only(pulled) {
        Outcome::Failed(why) => why,
        other => panic!("{other:?}"),
    }
}

/// A server that gives `files` by path.
fn index(files: Vec<(String, Vec<u8>)>) -> (SocketAddr, Log) {
    strict(move |request| {
        let request = text(request);
        let path = request.split(' ').nth(1).unwrap();
        let found = files.iter().find(|(own, _)| own == path);
        found.map_or_else(
            || b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_vec(),
            |(_, reply)| reply.clone(),
        )
    })
}

fn wheel(name: &str) -> String {
    format!("{name}-1.0-py3-none-any.whl")
}

fn paths(log: &Log) -> Vec<String> {
    let log = log.lock().unwrap();
    let paths = log
        .iter()
        .map(|request| text(request).split(' ').nth(1).unwrap().to_owned());
    let mut paths: Vec<String> = paths.collect();
    paths.sort();
    paths
}

fn bodies(place: &Path) -> usize {
    fs::read_dir(place.join("bodies")).unwrap().count()
}

#[tokio::test]
async fn what_a_lock_file_names_is_there_when_its_servers_are_not() {
    let place = tempfile::tempdir().unwrap();
    let content = vec![b'w'; 200_000];
    let json = format!(
        r#"{{"files": [{{"url": "http://files.test/f/one_a-1.0-py3-none-any.whl",
            "hashes": {{"sha256": "{}"}}, "core-metadata": {{"sha256": "{}"}}}},
            {{"url": "http://files.test/f/one_a-1.0-cp313-cp313-win32.whl", "hashes": {{}}}}]}}"#,
        sha256(&content),
        sha256(b"Name: one-a")
    );
    let kind = "Content-Type: application/vnd.pypi.simple.v1+json\r\n";
    let html = format!("<a href='/f/{}'>two</a>", wheel("two"));
    let (server, log) = index(vec![
        ("/simple/one-a/".into(), with(kind, json.as_bytes())),
        ("/simple/two/".into(), with(HTML, html.as_bytes())),
        (format!("/f/{}", wheel("one_a")), with("", &content)),
        (
            format!("/f/{}.metadata", wheel("one_a")),
            with("", b"Name: one-a"),
        ),
        (
            format!("/f/{}", wheel("two")),
            with("ETag: \"2\"\r\n", b"two"),
        ),
    ]);
    let lock = format!(
        "One.A==1 --hash=sha256:{} --hash=sha256:{}\ntwo==1.0\n",
        sha256(b"the sdist"),
        sha256(&content)
    );
    let own = Downloads::new(spec(place.path())).unwrap();
    for is_new in [true, false] {
        let pulled = pull(&own, server, INDEX, &lock).await;
        let outcomes: Vec<_> = pulled.into_iter().map(|pulled| pulled.outcome).collect();
        let kept = |name: &str, bytes, is_new| Outcome::Kept {
            file: wheel(name),
            bytes,
            is_new,
        };
        // Of the second nobody knows a digest, so its server is asked whether it still holds; this
        // one does not tell.
        assert_eq!(
            outcomes,
            [kept("one_a", 200_000, is_new), kept("two", 3, true)]
        );
    }
    let before = paths(&log);
    assert_eq!(
        before.iter().filter(|path| path.contains("one_a")).count(),
        2
    );

    let mut spec = spec(place.path());
    spec.offline = true;
    let rules = ["http://index.test", "http://files.test"];
    let world = World::new(&rules, &hosts(server), |_| {});
    let world = sharing(world, &Downloads::new(spec).unwrap());
    for (host, path, accept, expected) in [
        (
            "index.test",
            "/simple/one-a/".to_owned(),
            "application/vnd.pypi.simple.v1+json, */*",
            json.as_bytes(),
        ),
        (
            "index.test",
            "/simple/two/".to_owned(),
            "text/html",
            html.as_bytes(),
        ),
        (
            "files.test",
            format!("/f/{}", wheel("one_a")),
            "*/*",
            &content,
        ),
        (
            "files.test",
            format!("/f/{}.metadata", wheel("one_a")),
            "*/*",
            b"Name: one-a",
        ),
        ("index.test", format!("/f/{}", wheel("two")), "*/*", b"two"),
    ] {
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {host}\r\nAccept: {accept}\r\nConnection: close\r\n\r\n"
        );
        let reply = world.exchange(host, 80, request.as_bytes()).await;
        assert!(
            status(&reply) == 200 && body(&reply) == expected,
            "{path}: {}",
            text(&reply)
        );
    }
    assert_eq!((came(&world), world.gateway.dials()), (vec!["kept"; 5], 0));
    assert_eq!(paths(&log), before);
}

// PK-02
#[tokio::test]
async fn pk_02_what_is_not_in_the_lock_file_is_not_kept() {
    let lock = format!("one==1.0 --hash=sha256:{}\n", sha256(b"good"));
    for (digest, expected, asked) in [
        // The index names another file: it is not even asked for.
        (
            format!("#sha256={}", sha256(b"evil")),
            "which is not in the lock file",
            1,
        ),
        // It names the right one, and another comes.
        (
            format!("#sha256={}", sha256(b"good")),
            "the index names another file",
            2,
        ),
        // It names none.
        (String::new(), "the index names another file", 2),
    ] {
        let place = tempfile::tempdir().unwrap();
        let html = format!("<a href='/f/{}{digest}'>one</a>", wheel("one"));
        let (server, log) = index(vec![
            ("/simple/one/".into(), with(HTML, html.as_bytes())),
            (
                format!("/f/{}", wheel("one")),
                with("Cache-Control: max-age=60\r\n", b"evil"),
            ),
        ]);
        let own = Downloads::new(spec(place.path())).unwrap();
        let why = failure(pull(&own, server, INDEX, &lock).await);
        assert!(why.contains(expected), "{why}");
        assert_eq!(paths(&log).len(), asked);
        assert_eq!(bodies(place.path()), 1, "the page only");
    }
}

#[tokio::test]
async fn what_cannot_be_had_says_why() {
    let place = tempfile::tempdir().unwrap();
    let page = |href: &str| with(HTML, format!("<a href='{href}'>x</a>").as_bytes());
    let moved = b"HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n".to_vec();
    let (server, log) = index(vec![
        ("/simple/sdist/".into(), page("/f/sdist-1.0.tar.gz")),
        (
            "/simple/moved/".into(),
            page(&format!("/f/{}", wheel("moved"))),
        ),
        (format!("/f/{}", wheel("moved")), moved),
        (
            "/simple/gone/".into(),
            page(&format!("/f/{}", wheel("gone"))),
        ),
        (
            "/simple/far/".into(),
            page(&format!("http://far.test/{}", wheel("far"))),
        ),
        ("/simple/own/".into(), page(&format!("/f/{}", wheel("own")))),
        (
            format!("/f/{}", wheel("own")),
            with("Cache-Control: no-store\r\n", b"x"),
        ),
        (
            "/simple/text/".into(),
            with("Content-Type: text/plain\r\n", b"x"),
        ),
    ]);
    let own = Downloads::new(spec(place.path())).unwrap();
    let lock = "sdist==1.0\nabsent==1.0\nmoved==1.0\ngone==1.0\nfar==1.0\nown==1.0\ntext==1.0\n";
    let pulled = pull(&own, server, INDEX, lock).await;
    let missing = pulled.iter().filter(|pulled| pulled.is_missing());
    let missing: Vec<String> = missing.map(ToString::to_string).collect();
    let lines = (
        pulled.iter().filter(|pulled| pulled.is_kept()).count(),
        missing,
    );
    let outcomes: Vec<_> = pulled.into_iter().map(|pulled| pulled.outcome).collect();
    assert_eq!(outcomes[0], Outcome::NotPure);
    let (kept, missing) = lines;
    assert_eq!(kept, 0);
    assert_eq!(missing.len(), 7);
    assert_eq!(
        missing[0],
        "none    sdist 1.0: there is no pure wheel (py3-none-any) of this version"
    );
    assert!(missing[1].starts_with("failed  absent 1.0: http://index.test/"));
    let expected = [
        "http://index.test/simple/absent/: 404 Not Found",
        "is given by a redirect, which cannot be kept",
        "http://index.test/f/gone-1.0-py3-none-any.whl: 404 Not Found",
        "has its files at far.test, which is not among the servers of downloads",
        "came and is not kept: its server forbids that",
        "is no page of an index, but `text/plain`",
    ];
    for (outcome, expected) in outcomes[1..].iter().zip(expected) {
        match outcome {
            Outcome::Failed(why) => assert!(why.contains(expected), "{why}"),
            other => panic!("{other:?}: {expected}"),
        }
    }
    assert!(!paths(&log).iter().any(|path| path.contains("far-1.0")));
    // What is for other machines need not be there.
    let lock = "sdist==1.0 ; sys_platform == 'win32'";
    let conditional = pull(&own, server, INDEX, lock).await;
    assert!(!conditional[0].is_missing() && !conditional[0].is_kept());
    let said = conditional[0].to_string();
    assert!(
        said.ends_with("; it is needed only where sys_platform == 'win32'"),
        "{said}"
    );
    // A server that cannot be reached.
    drop(log);
    let nobody = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let why = failure(pull(&own, nobody, INDEX, "one==1.0").await);
    assert!(why.contains("index.test:80"), "{why}");
}

#[tokio::test]
async fn of_a_page_with_very_many_wheels_the_first_are_looked_at() {
    let place = tempfile::tempdir().unwrap();
    let link = |build: usize| format!("<a href='/f/one-1.0-{build}-py3-none-any.whl'>one</a>");
    let html: String = (0..1500).map(link).collect();
    let (server, _) = strict(move |request| match text(request).contains("/simple/") {
        true => with(HTML, html.as_bytes()),
        false => with("ETag: \"1\"\r\n", b"wheel"),
    });
    let own = Downloads::new(spec(place.path())).unwrap();
    match only(pull(&own, server, INDEX, "one==1.0").await) {
        Outcome::Kept { file, .. } => assert_eq!(file, "one-1.0-999-py3-none-any.whl"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_index_that_is_not_shared_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let own = Downloads::new(spec(place.path())).unwrap();
    let error = |own: &Downloads, index: &str| {
        let pulled = own.pull(PullSpec::new(index, Vec::new()), |_| {});
        pulled.unwrap_err()
    };
    for index in [
        "",
        "index.test",
        "ftp://index.test/",
        "http://u:p@index.test/",
        "http://index.test/?a",
    ] {
        assert!(matches!(error(&own, index), PullError::Index(_)), "{index}");
    }
    for index in ["http://other.test/simple", "https://index.test/simple"] {
        assert!(
            matches!(error(&own, index), PullError::NotShared(_)),
            "{index}"
        );
    }
    assert_eq!(
        own.pull(PullSpec::new(INDEX, Vec::new()), |_| {}).unwrap(),
        []
    );
    let mut offline = spec(place.path());
    offline.offline = true;
    let own = Downloads::new(offline).unwrap();
    assert!(matches!(error(&own, INDEX), PullError::Offline));
}

#[tokio::test]
async fn over_tls_what_was_pulled_is_there_for_a_guest_that_is_offline() {
    let place = tempfile::tempdir().unwrap();
    let ca = Ca::new("ours");
    let identity = ca.sign("index.test", |_| {});
    let html = format!(
        "<a href='/f/{}#sha256={}'>x</a>",
        wheel("one"),
        sha256(b"wheel")
    );
    let page = with(HTML, html.as_bytes());
    let (server, log) = strict_tls(&identity, &[b"http/1.1"], move |request| {
        match text(request).contains("/simple/one/") {
            true => page.clone(),
            false => with("", b"wheel"),
        }
    });
    let rule = || RuleSpec {
        tls: TlsSpec {
            roots: Some(vec![ca.der.clone()]),
            ..TlsSpec::default()
        },
        ..RuleSpec::from("https://index.test")
    };
    let own = Downloads::new(DownloadsSpec::new(place.path(), [rule()])).unwrap();
    let pulled = pull(&own, server, "https://index.test/simple/", "one==1").await;
    assert!(matches!(only(pulled), Outcome::Kept { bytes: 5, .. }));
    // A certificate that is not good is said.
    let stranger = DownloadsSpec::new(place.path(), ["https://index.test"]);
    let stranger = Downloads::new(stranger).unwrap();
    let why = failure(pull(&stranger, server, "https://index.test/simple/", "one==1").await);
    assert!(why.contains("certificate"), "{why}");

    let mut spec = DownloadsSpec::new(place.path(), [rule()]);
    spec.offline = true;
    let world = World::with_rules(vec![rule()], &[("index.test", server)], |_| {});
    let world = sharing(world, &Downloads::new(spec).unwrap());
    let mut guest = world.connect("index.test", 443).await.unwrap();
    let alpn = (hello::ALPN, &b"http/1.1"[..]);
    let shaken = shake(&mut guest, "index.test", &[alpn]).await.unwrap();
    assert_eq!(shaken.chain, [identity.certificate]);
    let request = format!(
        "GET /f/{} HTTP/1.1\r\nHost: index.test\r\nConnection: close\r\n\r\n",
        wheel("one")
    );
    let (reply, _) = talk(guest, request.as_bytes()).await;
    assert_eq!((status(&reply), body(&reply)), (200, &b"wheel"[..]));
    assert_eq!((world.gateway.dials(), log.lock().unwrap().len()), (0, 2));
}
