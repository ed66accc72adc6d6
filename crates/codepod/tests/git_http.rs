//! git and wget inside, over http and https through the gateway, beside the real ones: the same
//! servers, the same output, the same repositories.

#![cfg(feature = "network")]

use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use base64::prelude::{BASE64_STANDARD, Engine as _};
use codepod::network::{Network, NetworkSpec, RuleSpec, SecretSpec, TlsSpec};
use codepod::{Options, Sandbox};

/// A certificate authority and a server's certificate of it.
struct Identity {
    authority: Vec<u8>,
    config: Arc<rustls::ServerConfig>,
}

impl Identity {
    fn new(name: &str) -> Identity {
        let key = rcgen::KeyPair::generate().unwrap();
        let mut params = rcgen::CertificateParams::default();
        params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        params.key_usages = vec![
            rcgen::KeyUsagePurpose::KeyCertSign,
            rcgen::KeyUsagePurpose::DigitalSignature,
        ];
        let authority = params.self_signed(&key).unwrap();
        let issuer = rcgen::Issuer::new(params, key);
        let own = rcgen::KeyPair::generate().unwrap();
        let params = rcgen::CertificateParams::new(vec![name.to_owned()]).unwrap();
        let certificate = params.signed_by(&own, &issuer).unwrap();
        let config = rustls::ServerConfig::builder()
            .with_no_client_auth()
            .with_single_cert(
                vec![certificate.der().clone()],
                rustls::pki_types::PrivateKeyDer::Pkcs8(own.serialize_der().into()),
            )
            .unwrap();
        Identity {
            authority: authority.der().to_vec(),
            config: Arc::new(config),
        }
    }
}

/// git's own server, behind HTTP: repositories in a directory.
struct Server {
    port: u16,
    root: tempfile::TempDir,
    /// The fields of every request.
    heads: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// One that lets in who has this `Authorization`, if one is named.
    fn new(identity: Option<&Identity>, login: Option<String>) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = Server {
            port: listener.local_addr().unwrap().port(),
            root: tempfile::tempdir().unwrap(),
            heads: Arc::default(),
        };
        let (root, heads) = (server.root.path().to_owned(), server.heads.clone());
        let config = identity.map(|identity| identity.config.clone());
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let (root, heads) = (root.clone(), heads.clone());
                let (config, login) = (config.clone(), login.clone());
                std::thread::spawn(move || match config {
                    None => serve(client, &root, &heads, login.as_deref()),
                    Some(config) => {
                        let session = rustls::ServerConnection::new(config).unwrap();
                        let stream = rustls::StreamOwned::new(session, client);
                        serve(stream, &root, &heads, login.as_deref());
                    }
                });
            }
        });
        server
    }

    /// A repository with some history, made by the real git.
    fn fill(&self, name: &str) {
        let script = format!(
            "git init -q --bare -b main {name}.git && git -C {name}.git config http.receivepack true &&
             git init -q -b main seed && cd seed && mkdir d &&
             for i in 1 2 3; do echo $i >> f; seq $((i * 500)) > d/s$i; git add -A; git commit -qm c$i; done &&
             git tag -a v1 -m v1 && git tag light HEAD~1 && git branch side HEAD~1 &&
             git push -q ../{name}.git main side --tags && cd .. && rm -rf seed"
        );
        let (status, said) = native(self.root.path(), &script);
        assert_eq!(status, 0, "{said}");
    }

    /// What a repository has: its references, and what `git fsck` says of it.
    fn state(&self, name: &str) -> String {
        let script = format!("cd {name}.git && git for-each-ref && git fsck --full --strict 2>&1");
        let (status, said) = native(self.root.path(), &script);
        assert_eq!(status, 0, "{said}");
        said
    }

    /// A network in which `git.test` is this server, and nothing else.
    fn network(&self, identity: Option<&Identity>) -> NetworkSpec {
        let port = self.port;
        let mut spec = NetworkSpec::default();
        let scheme = if identity.is_some() { "https" } else { "http" };
        let tls = TlsSpec {
            roots: identity.map(|identity| vec![identity.authority.clone()]),
            ..TlsSpec::default()
        };
        spec.policy.allowed_hosts = Some(vec![RuleSpec {
            tls,
            ..RuleSpec::from(&*format!("{scheme}://git.test:{port}"))
        }]);
        spec.policy
            .hosts
            .insert("git.test".into(), "127.0.0.1".into());
        spec
    }
}

/// Runs one request as CGI, and closes.
fn serve(
    mut client: impl Read + Write,
    root: &Path,
    heads: &Mutex<Vec<String>>,
    login: Option<&str>,
) {
    let mut input = BufReader::new(&mut client);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if !input.read_line(&mut head).is_ok_and(|read| read > 0) {
            return;
        }
    }
    let field = |name: &str| {
        let mut lines = head.lines();
        lines.find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found
                .eq_ignore_ascii_case(name)
                .then(|| value.trim().to_owned())
        })
    };
    let mut body = Vec::new();
    if let Some(length) = field("content-length").and_then(|length| length.parse().ok()) {
        body = vec![0; length];
        if input.read_exact(&mut body).is_err() {
            return;
        }
    } else if field("transfer-encoding").is_some() {
        loop {
            let mut line = String::new();
            if input.read_line(&mut line).is_err() {
                return;
            }
            let size = usize::from_str_radix(line.trim(), 16).unwrap();
            let mut chunk = vec![0; size + 2];
            input.read_exact(&mut chunk).unwrap();
            body.extend_from_slice(&chunk[..size]);
            if size == 0 {
                break;
            }
        }
    }
    heads.lock().unwrap().push(head.clone());
    let mut words = head.split(' ');
    let (method, target) = (words.next().unwrap(), words.next().unwrap());
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    if login.is_some() && field("authorization").as_deref() != login {
        let reply = "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"git\"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        let _ = client.write_all(reply.as_bytes());
        let _ = client.flush();
        return;
    }
    let mut command = Command::new("git");
    command
        .arg("http-backend")
        .env("GIT_PROJECT_ROOT", root)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("PATH_INFO", path)
        .env("QUERY_STRING", query)
        .env("REQUEST_METHOD", method)
        .env("CONTENT_TYPE", field("content-type").unwrap_or_default())
        .env("CONTENT_LENGTH", body.len().to_string())
        .env("REMOTE_USER", "tester")
        .env("REMOTE_ADDR", "127.0.0.1")
        .env("HOME", root)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    if let Some(encoding) = field("content-encoding") {
        command.env("HTTP_CONTENT_ENCODING", encoding);
    }
    if let Some(protocol) = field("git-protocol") {
        command.env("GIT_PROTOCOL", protocol);
    }
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || drop(stdin.write_all(&body)));
    let output = child.wait_with_output().unwrap().stdout;
    writer.join().unwrap();
    let end = output.windows(4).position(|four| four == b"\r\n\r\n");
    let Some(end) = end else {
        return;
    };
    let fields = String::from_utf8_lossy(&output[..end]).into_owned();
    let status = fields
        .lines()
        .find_map(|line| line.strip_prefix("Status: "))
        .unwrap_or("200 OK");
    let content = &output[end + 4..];
    let length = match fields.to_ascii_lowercase().contains("content-length:") {
        true => String::new(),
        false => format!("Content-Length: {}\r\n", content.len()),
    };
    let reply = format!("HTTP/1.1 {status}\r\n{fields}\r\n{length}Connection: close\r\n\r\n");
    let content = match method {
        "HEAD" => &[],
        _ => content,
    };
    let _ = client.write_all(&[reply.as_bytes(), content].concat());
    let _ = client.flush();
}

/// The settings that make commits the same everywhere.
const SETTINGS: &str = "export GIT_AUTHOR_NAME=N GIT_AUTHOR_EMAIL=n@e GIT_COMMITTER_NAME=N \
    GIT_COMMITTER_EMAIL=n@e GIT_AUTHOR_DATE='1700000000 +0000' GIT_COMMITTER_DATE='1700000000 +0000' \
    GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_TERMINAL_PROMPT=0 LC_ALL=C.UTF-8\n";

/// Runs a script in the host's shell: its status, and all it said.
fn native(directory: &Path, script: &str) -> (i32, String) {
    let output = Command::new("bash")
        .arg("-c")
        .arg(format!("{SETTINGS}exec 2>&1\n{script}"))
        .current_dir(directory)
        .env("HOME", directory)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.code().unwrap(), said)
}

/// Runs a script in a new sandbox: its status, and all it said.
fn inside(spec: NetworkSpec, script: &str) -> (i32, String) {
    let mut options = Options::default();
    options.network = Some(Network::new(spec).unwrap());
    let sandbox = Sandbox::create(options).unwrap();
    let script = format!("{SETTINGS}exec 2>&1\n{script}");
    let result = sandbox.run_blocking(&script).unwrap();
    let said = result.stdout_text().into_owned() + &result.stderr_text();
    (result.exit_code, said)
}

/// Runs a script with `$U` as the URL of a repository, natively and inside, each with a repository
/// of its own, and compares what is said and what the server has then.
#[track_caller]
fn same(script: &str) {
    let server = Server::new(None, None);
    let mut told = Vec::new();
    for (name, host) in [("native", "127.0.0.1"), ("inside", "git.test")] {
        server.fill(name);
        let port = server.port;
        let whole = format!("U=http://{host}:{port}/{name}.git\n{script}");
        let (status, said) = match name {
            "native" => native(tempfile::tempdir().unwrap().path(), &whole),
            _ => inside(server.network(None), &whole),
        };
        let said = said.replace(host, "HOST").replace(name, "NAME");
        told.push((status, said, server.state(name)));
    }
    let [theirs, ours] = &told[..] else {
        unreachable!()
    };
    assert_eq!(ours.1, theirs.1, "{script}");
    assert_eq!((ours.0, &ours.2), (theirs.0, &theirs.2), "{script}");
}

/// Prints what is in a working tree, and whether the repository is whole.
const TREE: &str = "find . -path ./.git -prune -o -type f -print | sort | xargs sha1sum; git fsck";

#[test]
fn lists_and_clones_are_those_of_git() {
    same(
        "git ls-remote $U; git ls-remote --tags $U; git ls-remote --heads $U main; git ls-remote $U.none",
    );
    same(&format!(
        "git clone $U r && cd r && git log --oneline --decorate && git status && git branch -a && git tag && git config -l --local && {TREE}"
    ));
    same(&format!(
        "git clone -b side --single-branch $U r && cd r && git branch -a; git tag; {TREE}"
    ));
    same(
        "git clone --bare $U && ls -d */ && cd NAME.git 2>/dev/null || cd *.git; git branch; git fsck",
    );
    same("git clone -q -b v1 $U r; git -C r status");
    same("git clone $U.none r; ls -d r");
}

#[test]
fn shallow_clones_have_an_end_that_moves() {
    same(&format!(
        "git clone --depth 1 $U r && cd r && git log --oneline --decorate && cat .git/shallow && {TREE} && \
         git fetch --deepen=1 && git log --oneline && git fetch --unshallow; git log --oneline; ls .git/shallow; git tag; {TREE}"
    ));
}

/// Another clone by the real git is not there inside: a second clone of the same git changes the
/// repository.
const OTHER: &str = "git clone -q $U o && cd o && echo z > z && git add z && git commit -qm z && \
    git tag -a v2 -m v2 && git push -q --tags origin main && git push -q origin HEAD:new && \
    git push -q origin :side; cd ..";

#[test]
fn fetches_bring_what_is_new() {
    same(&format!(
        "git clone -q $U c; {OTHER}; cd c; git fetch; git fetch; cut -f2- .git/FETCH_HEAD; git branch -a; git tag; \
         git fetch --prune; git pull; git log --oneline; {TREE}"
    ));
    same(&format!(
        "git clone -q $U c; {OTHER}; cd c; git fetch $U main; git for-each-ref; git pull --ff-only"
    ));
    same(&format!(
        "git clone -q $U c; {OTHER}; cd c; git fetch origin main:x 'refs/heads/*:refs/mirror/*'; \
         cut -f2- .git/FETCH_HEAD; git for-each-ref; git fetch origin main:main 2>&1 | sed 's/ at .*//'; {TREE}"
    ));
    same(&format!(
        "git clone -q --depth 2 $U c; {OTHER}; cd c; git fetch; git log --oneline origin/main; echo n > n; git add n; \
         git commit -qm n; git pull -q --rebase; git push; git log --oneline"
    ));
}

#[test]
fn pushes_send_what_is_missing() {
    same(
        "git clone -q $U c; cd c; echo x >> f; git add f; git commit -qm x; git push; git status; git tag t1; git push --tags; \
         git checkout -qb topic; seq 300 > topic; git add .; git commit -qm topic; git push -u origin topic; \
         git push origin --delete side; git push; git reset -q --hard HEAD~1; git push; git push -f; \
         git push origin topic:refs/heads/a/b HEAD~1:refs/heads/q; git push origin nosuch; git push origin :nosuch",
    );
    same(&format!(
        "git clone -q $U c; {OTHER}; cd c; echo n > n; git add n; git commit -qm n; git push; git push --force-with-lease; \
         git pull -q --rebase; git push --atomic origin main main:other; git push -n origin main:dry; git ls-remote origin"
    ));
    same(
        "git init -q -b main e; cd e; seq 20000 > big; git add .; git commit -qm big; git remote add origin $U; \
         git push -u origin main:imported; git log --oneline origin/imported",
    );
}

#[test]
fn a_token_is_a_secret_in_basic_over_https() {
    let token = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";
    let identity = Identity::new("git.test");
    let login = format!("Basic {}", BASE64_STANDARD.encode(format!("me:{token}")));
    let server = Server::new(Some(&identity), Some(login.clone()));
    server.fill("r");
    let mut spec = server.network(Some(&identity));
    let place = format!("https://git.test:{}", server.port);
    spec.secrets
        .push(SecretSpec::new("TOKEN", token, &[&place]));
    let port = server.port;
    let (status, said) = inside(
        spec,
        &format!(
            "set -e
             git clone -q https://me:$TOKEN@git.test:{port}/r.git c; cp -r c e
             cd c; echo new > new; git add new; git commit -qm new; git push -q
             cd ../e; git fetch -q; git log --format=%s ..origin/main; git pull -q; cat new
             cd ..; git clone -q -c credential.helper='!f() {{ echo username=me; echo password=$TOKEN; }}; f' https://git.test:{port}/r.git d
             cat d/new; printf '%s' \"$TOKEN\" | wc -c"
        ),
    );
    assert_eq!((status, &*said), (0, "new\nnew\nnew\n40\n"), "{said}");
    server.state("r");
    let heads = server.heads.lock().unwrap();
    let has_it = |head: &&String| head.contains(&login);
    assert!(heads.iter().filter(has_it).count() >= 6);
    // What is inside never was the token: nothing else says it.
    let rest = heads.join("").replace(&login, "");
    assert!(!rest.contains(token) && !said.contains(token));
}

#[test]
fn a_wrong_password_and_none_are_told_as_git_does() {
    let login = format!("Basic {}", BASE64_STANDARD.encode("me:pw"));
    let server = Server::new(None, Some(login));
    server.fill("r");
    let port = server.port;
    for (place, expected) in [
        ("me:pw@", None),
        (
            "me:no@",
            Some("fatal: Authentication failed for 'http://HOST/r.git/'"),
        ),
        (
            "",
            Some("fatal: could not read Username for 'http://HOST': terminal prompts disabled"),
        ),
        (
            "me@",
            Some("fatal: could not read Password for 'http://me@HOST': terminal prompts disabled"),
        ),
    ] {
        let script = |host: &str| format!("git ls-remote http://{place}{host}:{port}/r.git side");
        let (status, theirs) = native(server.root.path(), &script("127.0.0.1"));
        let theirs = theirs.replace(&format!("127.0.0.1:{port}"), "HOST");
        let ours = inside(server.network(None), &script("git.test"));
        let said = ours.1.replace(&format!("git.test:{port}"), "HOST");
        assert_eq!((ours.0, &said), (status, &theirs), "{place}");
        if let Some(expected) = expected {
            assert_eq!(said.trim_end(), expected);
        }
    }
}

#[test]
fn what_is_not_allowed_is_told_with_its_reason() {
    let server = Server::new(None, None);
    server.fill("r");
    let (status, said) = inside(
        server.network(None),
        "git clone https://elsewhere.test/r.git; echo $?; git clone git@git.test:r.git; echo $?; \
         git ls-remote ssh://git.test/r; wget -nv http://elsewhere.test/; echo $?; ls",
    );
    assert_eq!(status, 0, "{said}");
    let reason = "(codepod: elsewhere.test:443 is not in allowed_hosts";
    assert!(
        said.contains("fatal: unable to access 'https://elsewhere.test/r.git/': "),
        "{said}"
    );
    assert!(
        said.contains(reason) && said.contains("codepod's git has no ssh"),
        "{said}"
    );
    assert!(
        said.contains("failed: Permission denied (codepod: elsewhere.test:80 is not in"),
        "{said}"
    );
    assert!(server.heads.lock().unwrap().is_empty());
}

#[test]
fn wget_is_as_gnus_wget() {
    let server = Server::new(None, None);
    server.fill("r");
    let port = server.port;
    for script in [
        "wget -nv $U/r.git/HEAD; cat HEAD",
        "wget -q -O - $U/r.git/HEAD",
        "wget -q $U/r.git/config -O x/y; echo $?",
        "wget -nv $U/none; echo $?",
        "wget -nv --spider $U/r.git/HEAD; echo $?",
        "echo $U/r.git/HEAD > list; wget -q -i list -P d; ls d; wget -nc -nv $U/r.git/HEAD -P d; echo $?",
        "wget -x -q $U/r.git/info/refs?service=git-upload-pack; find . -type f | sed 's/^.*:[0-9]*//'",
    ] {
        let with = |host: &str| format!("U=http://{host}:{port}\n{script}");
        let (status, theirs) = native(tempfile::tempdir().unwrap().path(), &with("127.0.0.1"));
        let ours = inside(server.network(None), &with("git.test"));
        let shown = |said: &str, host: &str| without_times(&said.replace(host, "HOST"));
        assert_eq!(
            (ours.0, shown(&ours.1, "git.test")),
            (status, shown(&theirs, "127.0.0.1")),
            "{script}"
        );
    }
}

/// Text without dates, and with plain quotes.
fn without_times(text: &str) -> String {
    let text = text.replace(['\u{2018}', '\u{2019}'], "'");
    let lines = text.lines().map(|line| match line.split_once(" URL:") {
        Some((_, rest)) => format!("URL:{rest}"),
        None if line.len() > 20 && line.as_bytes()[4] == b'-' => line[20..].to_owned(),
        None => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Bytes that do not compress, in files that change from commit to commit.
fn large(root: &Path, name: &str) {
    let script = format!(
        "git init -q --bare -b main {name}.git && git -C {name}.git config http.receivepack true &&
         git init -q -b main big && cd big &&
         for i in $(seq 40); do mkdir -p d$i; for j in $(seq 50); do head -c 24000 /dev/urandom | base64 -w 76 > d$i/f$j; done; git add -A; git commit -qm c$i; done &&
         git push -q ../{name}.git main && cd .. && rm -rf big"
    );
    let (status, said) = native(root, &script);
    assert_eq!(status, 0, "{said}");
}

/// What the real git needs to know of a server whose name is none of this machine.
fn known(server: &Server, identity: Option<&Identity>) -> String {
    let Some(identity) = identity else {
        return String::new();
    };
    let authority = server.root.path().join("authority.pem");
    let text = BASE64_STANDARD.encode(&identity.authority);
    let lines: Vec<&str> = (text.as_bytes().chunks(64))
        .map(|line| std::str::from_utf8(line).unwrap())
        .collect();
    let text = lines.join("\n");
    let pem = format!("-----BEGIN CERTIFICATE-----\n{text}\n-----END CERTIFICATE-----\n");
    std::fs::write(&authority, pem).unwrap();
    let (authority, port) = (authority.display(), server.port);
    format!(
        "export GIT_CONFIG_COUNT=2 GIT_CONFIG_KEY_0=http.sslCAInfo GIT_CONFIG_VALUE_0={authority} \
         GIT_CONFIG_KEY_1=http.curloptResolve GIT_CONFIG_VALUE_1=git.test:{port}:127.0.0.1\n"
    )
}

/// Prints how long a repository of 50 MB takes, beside the real git, over http and over https.
#[test]
#[ignore = "a measurement: cargo nextest run --release --run-ignored only -E 'test(fifty)' --no-capture"]
fn fifty_megabytes() {
    fifty(None);
    fifty(Some(&Identity::new("git.test")));
}

#[expect(clippy::print_stdout, reason = "it prints what it has measured")]
fn fifty(identity: Option<&Identity>) {
    let server = Server::new(identity, None);
    let known = known(&server, identity);
    let (scheme, host) = match identity {
        None => ("http", "127.0.0.1"),
        Some(_) => ("https", "git.test"),
    };
    large(server.root.path(), "big");
    native(
        server.root.path(),
        "cp -r big.git empty1.git; cp -r big.git empty2.git; for i in 1 2; do git -C empty$i.git update-ref -d refs/heads/main; rm -rf empty$i.git/objects/pack/* empty$i.git/objects/??; done",
    );
    let port = server.port;
    let script = |host: &str, to: u8| {
        format!(
            "TIMEFORMAT=%R; time git clone -q {scheme}://{host}:{port}/big.git c; cd c; time git push -q {scheme}://{host}:{port}/empty{to}.git main; time git status -s"
        )
    };
    for _ in 0..2 {
        let theirs = known.clone() + &script(host, 1);
        let (status, theirs) = native(tempfile::tempdir().unwrap().path(), &theirs);
        let ours = inside(server.network(identity), &script("git.test", 2));
        println!(
            "{scheme}: git: {status} {}\ninside: {} {}",
            theirs.replace('\n', " "),
            ours.0,
            ours.1.replace('\n', " ")
        );
        native(
            server.root.path(),
            "for i in 1 2; do git -C empty$i.git fsck && git -C empty$i.git update-ref -d refs/heads/main; rm -rf empty$i.git/objects/pack/* empty$i.git/objects/??; done",
        );
    }
}
