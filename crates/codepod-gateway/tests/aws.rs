//! Requests that are signed anew with the keys of an AWS account, at a server that checks them.

mod support;

use std::sync::Arc;

use codepod_gateway::RuleSpec;
use codepod_gateway::cptls::hello;
use codepod_gateway::event::Event;
use codepod_gateway::network::Deciding;
use codepod_gateway::policy::TlsSpec;
use codepod_gateway::policy::denial::DenialKind;
use codepod_gateway::secrets::{AwsSpec, HostKey, Secrets};
use ring::{digest, hmac};
use support::cptls_client::{shake, talk};
use support::servers::{Ca, Log, ok, strict_tls};
use support::{World, status, text};

const ID: &str = "AKIACANARYCANARY7777";
const SECRET: &str = "CANARYUtnFEMI/K7MDENG+bPxRfiCYCANARYKEYX";
const TOKEN: &str = "FwoGZXIvYXdzECANARY//example+token/of/a/session==";
const HASH: &str = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";

fn spec(id: &str, secret: &str, token: Option<&str>) -> AwsSpec {
    AwsSpec {
        access_key_id: id.to_owned().into(),
        secret: secret.to_owned().into(),
        session_token: token.map(|token| token.to_owned().into()),
        services: vec!["s3".into(), "dynamodb".into()],
        regions: vec!["eu-central-1".into(), "us-east-1".into()],
        hosts: vec!["https://aws.test".into()],
    }
}

fn secrets(spec: &AwsSpec) -> Secrets {
    let key = HostKey::new([1; 32]);
    Secrets::none().with_aws(spec, &key, "test").unwrap()
}

struct Place {
    world: World,
    log: Log,
    /// The id and the token that are inside.
    id: String,
    token: String,
}

/// A server as `aws.test`, which the keys are bound to, and as `evil.test`.
fn place(token: Option<&str>, reply: impl Fn(&[u8]) -> Vec<u8> + Send + Sync + 'static) -> Place {
    let ca = Ca::new("ours");
    let identity = ca.sign("aws.test", |params| {
        let other = rcgen::SanType::DnsName("evil.test".try_into().unwrap());
        params.subject_alt_names.push(other);
    });
    let (origin, log) = strict_tls(&identity, &[], reply);
    let rule = |name: &str| RuleSpec {
        tls: TlsSpec {
            roots: Some(vec![ca.der.clone()]),
            ..TlsSpec::default()
        },
        ..RuleSpec::from(name)
    };
    let secrets = secrets(&spec(ID, SECRET, token));
    let inside = |wanted: &str| {
        let mut all = secrets.environment();
        let found = all.find(|(name, _)| *name == wanted);
        found.map(|(_, value)| value.to_owned()).unwrap_or_default()
    };
    let (id, token) = (inside("AWS_ACCESS_KEY_ID"), inside("AWS_SESSION_TOKEN"));
    let world = World::with_rules(
        vec![
            rule("aws.test"),
            rule("evil.test"),
            "http://aws.test".into(),
        ],
        &[("aws.test", origin), ("evil.test", origin)],
        |options| options.secrets = Arc::new(secrets),
    );
    Place {
        world,
        log,
        id,
        token,
    }
}

impl Place {
    async fn send(&self, host: &str, request: &[u8]) -> String {
        let mut guest = self.world.connect(host, 443).await.unwrap();
        let alpn = (hello::ALPN, &b"http/1.1"[..]);
        shake(&mut guest, host, &[alpn]).await.unwrap();
        text(&talk(guest, request).await.0)
    }

    /// A head that is signed for a service and a region; `fields` end with a line break.
    fn head(&self, line: &str, service: &str, region: &str, fields: &str) -> String {
        format!(
            "{line} HTTP/1.1\r\nHost: aws.test\r\nX-Amz-Date: 20150830T123600Z\r\nAuthorization: AWS4-HMAC-SHA256 Credential={}/20150830/{region}/{service}/aws4_request, SignedHeaders=host;range;x-amz-date, Signature={HASH}\r\nConnection: close\r\n{fields}",
            self.id
        )
    }
}

/// What a server finds in a signed request: the id and the scope, if the signature is good.
fn check(request: &[u8], secret: &str) -> String {
    let end = request.windows(4).position(|w| w == b"\r\n\r\n").unwrap();
    let (head, body) = (text(&request[..end]), &request[end + 4..]);
    let hex = |bytes: &[u8]| bytes.iter().map(|b| format!("{b:02x}")).collect::<String>();
    let sha256 = |bytes: &[u8]| hex(digest::digest(&digest::SHA256, bytes).as_ref());
    let mut lines = head.lines();
    let line: Vec<&str> = lines.next().unwrap().split(' ').collect();
    let (path, query) = line[1].split_once('?').unwrap_or((line[1], ""));
    let fields: Vec<(String, String)> = lines
        .map(|line| line.split_once(':').unwrap())
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let field = |wanted: &str| {
        let mut all = fields.iter().filter(|(name, _)| name == wanted);
        let found = all.next().map(|(_, value)| value.clone());
        assert!(all.next().is_none(), "{wanted} is there twice: {head}");
        found
    };
    let authorization = field("authorization").unwrap();
    let part = |name: &str| {
        let (_, rest) = authorization.split_once(&format!("{name}=")).unwrap();
        rest.split(',').next().unwrap().to_owned()
    };
    let signed = part("SignedHeaders");
    // All that AWS wants to have signed is.
    for (name, _) in &fields {
        let has_to_be = name == "host" || name.starts_with("x-amz-");
        assert!(
            !has_to_be || signed.split(';').any(|own| own == name),
            "{name}: {signed}"
        );
    }
    let canonical: String = signed
        .split(';')
        .map(|name| format!("{name}:{}\n", field(name).unwrap()))
        .collect();
    let payload = field("x-amz-content-sha256").unwrap_or_else(|| sha256(body));
    let canonical = format!(
        "{}\n{path}\n{query}\n{canonical}\n{signed}\n{payload}",
        line[0]
    );
    let credential = part("Credential");
    let (id, scope) = credential.split_once('/').unwrap();
    let date = field("x-amz-date").unwrap();
    let words: Vec<&str> = scope.split('/').collect();
    assert!(
        date.starts_with(words[0]) && date != "20150830T123600Z",
        "{date}"
    );
    let text = format!(
        "AWS4-HMAC-SHA256\n{date}\n{scope}\n{}",
        sha256(canonical.as_bytes())
    );
    let mut key = format!("AWS4{secret}").into_bytes();
    for word in words.into_iter().chain([text.as_str()]) {
        let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &key), word.as_bytes());
        key = tag.as_ref().to_vec();
    }
    assert_eq!(part("Signature"), hex(&key), "{head}");
    let (_, scope) = scope.split_once('/').unwrap();
    format!("{id} {scope}")
}

fn percent(text: &str) -> String {
    let escapes = [('/', "%2F"), ('+', "%2B"), ('=', "%3D")];
    let text = text.to_owned();
    escapes
        .iter()
        .fold(text, |text, (from, to)| text.replace(*from, to))
}

// NW-13
#[tokio::test]
async fn nw_13_a_request_is_signed_anew_and_the_keys_do_not_come_back() {
    // An echo of the request, and of keys that the server should not have sent.
    let place = place(Some(TOKEN), |request| {
        ok(format!(
            "{}\n{ID} {SECRET} {TOKEN} {}",
            text(request),
            percent(TOKEN)
        )
        .as_bytes())
    });
    let fields = format!(
        "x-amz-content-sha256: UNSIGNED-PAYLOAD\r\nx-amz-security-token: {}\r\nx-amz-meta-a:  b   c\r\nRange: bytes=0-9\r\nAccept-Encoding: gzip\r\n\r\n",
        place.token
    );
    let request = place.head(
        "GET /bucket/k?list-type=2&prefix=x",
        "s3",
        "eu-central-1",
        &fields,
    );
    // The server's field values have single blanks, as those that are signed.
    let request = request.replace("b   c", "b c");
    let reply = place.send("aws.test", request.as_bytes()).await;
    let seen = place.log.lock().unwrap()[0].clone();
    assert_eq!(
        check(&seen, SECRET),
        format!("{ID} eu-central-1/s3/aws4_request")
    );
    let seen = text(&seen);
    assert!(
        seen.contains(&format!("x-amz-security-token: {TOKEN}\r\n")),
        "{seen}"
    );
    assert!(!seen.contains(&place.id) && !seen.contains(&place.token) && !seen.contains(SECRET));
    assert!(seen.contains("SignedHeaders=host;range;x-amz-content-sha256;x-amz-date;x-amz-meta-a;x-amz-security-token, "), "{seen}");
    assert_eq!(status(reply.as_bytes()), 200);
    // The length that the server has told is told, and true.
    let (head, body) = reply.split_once("\r\n\r\n").unwrap();
    assert!(
        head.contains(&format!("Content-Length: {}", body.len())),
        "{reply}"
    );
    assert!(body.contains(&format!("\n{} ", place.id)), "{reply}");
    let event = place.world.requests(1).await.remove(0);
    let names = [
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_SESSION_TOKEN",
    ];
    assert_eq!(
        event.secrets.iter().map(|name| &**name).collect::<Vec<_>>(),
        names
    );
    let told = format!(
        "{reply}{:?}{:?}{:?}",
        place.world.events(),
        place.world.network,
        place.world.network.deciding().secrets
    );
    assert!(!told.contains("CANARY"), "{told}");
}

#[tokio::test]
async fn a_body_is_hashed_where_its_hash_is_not_given() {
    let place = place(None, |_| ok(b"{}"));
    let body = "{\"TableName\": \"t\"}";
    let length = format!(
        "X-Amz-Target: a\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let chunks = format!(
        "Transfer-Encoding: chunked\r\n\r\n5\r\n{}\r\n{:x}\r\n{}\r\n0\r\n\r\n",
        &body[..5],
        body.len() - 5,
        &body[5..]
    );
    for fields in [
        length.as_str(),
        chunks.as_str(),
        "Content-Length: 0\r\n\r\n",
    ] {
        let request = place.head("POST /", "dynamodb", "us-east-1", fields);
        let reply = place.send("aws.test", request.as_bytes()).await;
        assert_eq!(status(reply.as_bytes()), 200, "{reply}");
        let seen = place.log.lock().unwrap().pop().unwrap();
        assert_eq!(
            check(&seen, SECRET),
            format!("{ID} us-east-1/dynamodb/aws4_request")
        );
        let is_whole = text(&seen).ends_with(body) || fields.contains("Length: 0");
        assert!(
            is_whole && !text(&seen).contains("chunked"),
            "{}",
            text(&seen)
        );
        // Without a token there is none, whatever the guest has.
        assert!(!text(&seen).contains("security-token"));
    }
}

#[tokio::test]
async fn what_is_not_signed_passes_without_a_signature() {
    let place = place(None, |_| ok(b""));
    for field in ["", "Authorization: Bearer mine\r\n"] {
        let request =
            format!("GET /public HTTP/1.1\r\nHost: aws.test\r\n{field}Connection: close\r\n\r\n");
        assert_eq!(
            status(place.send("aws.test", request.as_bytes()).await.as_bytes()),
            200
        );
        let seen = text(&place.log.lock().unwrap().pop().unwrap());
        assert!(!seen.contains("AWS4") && !seen.contains("x-amz"), "{seen}");
    }
}

// NW-13
#[tokio::test]
async fn nw_13_what_is_beyond_the_grant_is_not_signed() {
    let place = place(Some(TOKEN), |_| ok(b""));
    let good = place.head("GET /", "s3", "us-east-1", "\r\n");
    let with = |from: &str, to: &str| {
        assert!(good.contains(from), "{from}");
        good.replace(from, to)
    };
    let line = "GET /?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Expires=60&x-amz-%53ignature=0 ";
    let hashed = |hash: &str| {
        with(
            "Connection",
            &format!("X-Amz-Content-Sha256: {hash}\r\nConnection"),
        )
    };
    let refused = [
        (
            with("/s3/", "/iam/"),
            "nothing is signed for the service `iam`",
        ),
        (
            with("/us-east-1/", "/us-west-1/"),
            "nothing is signed for the region `us-west-1`",
        ),
        (
            with(&place.id, "AKIAGUESTSOWNKEY7777"),
            "a key that is not the sandbox's",
        ),
        (with(&place.id, ""), "a key that is not the sandbox's"),
        (with("GET / ", line), "presigned URLs are not signed anew"),
        (
            with("GET / ", "GET /?x-amz-credential=a%2Fb "),
            "presigned URLs are not signed anew",
        ),
        (
            with("AWS4-HMAC-SHA256", "AWS4-ECDSA-P256-SHA256"),
            "version 4a",
        ),
        (with("AWS4-HMAC-SHA256 ", "AWS "), "version 2"),
        (
            with("AWS4-HMAC-SHA256", "AWS5-HMAC"),
            "`AWS5-HMAC` is not made anew",
        ),
        (with("aws4_request", "aws5_request"), "cannot be read"),
        (with("Credential", "Credentials"), "cannot be read"),
        (
            with(", Signature", ", Credential=a, Signature"),
            "cannot be read",
        ),
        (with(";range;", ";a b;"), "cannot be read"),
        (with(&format!(", Signature={HASH}"), ""), "cannot be read"),
        (
            with("Connection", "Authorization: Basic eDp5\r\nConnection"),
            "more than one Authorization",
        ),
        (
            hashed("STREAMING-AWS4-HMAC-SHA256-PAYLOAD"),
            "piece by piece",
        ),
        (
            hashed("STREAMING-UNSIGNED-PAYLOAD-TRAILER"),
            "AWS_REQUEST_CHECKSUM_CALCULATION=when_required",
        ),
        (
            hashed("STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD"),
            "piece by piece",
        ),
        (hashed(&HASH[1..]), "x-amz-content-sha256 is no hash"),
        (
            hashed(&format!("{HASH}\r\nX-Amz-Content-Sha256: {HASH}")),
            "more than one x-amz-content",
        ),
    ];
    for (request, why) in &refused {
        let reply = place.send("aws.test", request.as_bytes()).await;
        assert!(
            status(reply.as_bytes()) == 403 && reply.contains(why),
            "{request}: {reply}"
        );
        assert!(!reply.contains("CANARY"), "{reply}");
    }
    assert_eq!(place.log.lock().unwrap().len(), 0);
    let events = place.world.events();
    let denials = events.iter().filter(|event| match event {
        Event::Denied(denied) => denied.denial.kind == DenialKind::Secret,
        _ => false,
    });
    assert_eq!(denials.count(), refused.len());
    assert!(!format!("{events:?}").contains("CANARY"));
    // And this is all that was wrong.
    assert_eq!(
        status(place.send("aws.test", good.as_bytes()).await.as_bytes()),
        200
    );
    assert_eq!(
        status(
            place
                .send("aws.test", hashed(HASH).as_bytes())
                .await
                .as_bytes()
        ),
        200
    );
}

// NW-13
#[tokio::test]
async fn nw_13_the_keys_inside_are_worth_nothing_elsewhere() {
    let place = place(Some(TOKEN), |_| ok(b""));
    let good = place.head("GET /", "s3", "us-east-1", "\r\n");
    let elsewhere = good.replace("Host: aws.test", "Host: evil.test");
    let reply = place.send("evil.test", elsewhere.as_bytes()).await;
    assert!(
        status(reply.as_bytes()) == 403 && reply.contains("`AWS_ACCESS_KEY_ID` is not bound"),
        "{reply}"
    );
    // Nor over a connection without TLS, where nothing could be signed.
    let reply = place.world.exchange("aws.test", 80, good.as_bytes()).await;
    assert_eq!(status(&reply), 403);
    let token = format!(
        "GET / HTTP/1.1\r\nHost: evil.test\r\nX: {}\r\nConnection: close\r\n\r\n",
        place.token
    );
    let reply = place.send("evil.test", token.as_bytes()).await;
    assert!(
        reply.contains("`AWS_SESSION_TOKEN` is not bound"),
        "{reply}"
    );
    assert_eq!(place.log.lock().unwrap().len(), 0);
}

#[tokio::test]
async fn a_body_that_is_hashed_first_has_a_limit() {
    let place = place(None, |_| ok(b""));
    let most = 8 << 20;
    let fits = [b"x".repeat(most), b"\r\n0\r\n\r\n".to_vec()].concat();
    let chunked = format!("Transfer-Encoding: chunked\r\n\r\n{most:x}\r\n");
    let chunked = place.head("POST /", "dynamodb", "us-east-1", &chunked);
    let reply = place
        .send("aws.test", &[chunked.as_bytes(), &fits].concat())
        .await;
    assert_eq!(status(reply.as_bytes()), 200, "{reply}");
    let seen = place.log.lock().unwrap().pop().unwrap();
    assert_eq!(
        check(&seen, SECRET),
        format!("{ID} us-east-1/dynamodb/aws4_request")
    );
    // One byte more is too much, with a length that says so and without.
    let more = [&b"x".repeat(most)[..], b"\r\n1\r\nx\r\n0\r\n\r\n"].concat();
    let told = format!("Content-Length: {}\r\n\r\n", most + 1);
    let told = place.head("POST /", "dynamodb", "us-east-1", &told);
    for request in [[chunked.as_bytes(), &more].concat(), told.into_bytes()] {
        let reply = place.send("aws.test", &request).await;
        assert!(
            status(reply.as_bytes()) == 403 && reply.contains("8388608 bytes"),
            "{reply}"
        );
    }
    assert_eq!(place.log.lock().unwrap().len(), 0);
    // Whose hash is given need not be read first.
    let given = format!(
        "X-Amz-Content-Sha256: {HASH}\r\nContent-Length: {}\r\n\r\n",
        most + 1
    );
    let mut given = place.head("PUT /k", "s3", "us-east-1", &given).into_bytes();
    given.extend(b"x".repeat(most + 1));
    let reply = place.send("aws.test", &given).await;
    assert_eq!(status(reply.as_bytes()), 200, "{reply}");
    assert_eq!(place.log.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn rotated_keys_sign_for_the_id_that_is_inside() {
    let place = place(Some(TOKEN), |_| ok(b""));
    let request = place.head("GET /", "s3", "us-east-1", "\r\n");
    let rotated = secrets(&spec(
        "ASIAROTATED777777777",
        "another secret, and a longer one",
        None,
    ));
    let deciding = place.world.network.deciding();
    place.world.network.decide_by(Deciding {
        secrets: Arc::new(rotated.in_place_of(&deciding.secrets)),
        ..Deciding::clone(&deciding)
    });
    let reply = place.send("aws.test", request.as_bytes()).await;
    assert_eq!(status(reply.as_bytes()), 200, "{reply}");
    let seen = place.log.lock().unwrap().pop().unwrap();
    let found = check(&seen, "another secret, and a longer one");
    assert_eq!(found, "ASIAROTATED777777777 us-east-1/s3/aws4_request");
    assert!(!text(&seen).contains("security-token"));
}
