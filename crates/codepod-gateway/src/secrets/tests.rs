use super::*;
use proptest::prelude::*;

const VALUE: &str = "sk-live/0123456789+abcdef\"&=XYZ";

fn key() -> HostKey {
    HostKey::new([7; 32])
}

fn secrets(specs: &[SecretSpec]) -> Secrets {
    Secrets::new(specs, &key(), "tenant").unwrap()
}

fn in_body(mut spec: SecretSpec) -> SecretSpec {
    spec.places.body = true;
    spec
}

fn target(url: &str) -> Target {
    Target::parse(url).unwrap()
}

fn placeholder_of(secrets: &Secrets, name: &str) -> String {
    let mut all = secrets.environment();
    all.find(|(own, _)| *own == name).unwrap().1.to_owned()
}

#[test]
fn a_placeholder_has_the_shape_and_the_length_of_its_secret() {
    let token = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";
    let all = secrets(&[
        SecretSpec::new("TOKEN", token, &["a.com"]),
        SecretSpec::new("SHORT", "hunter22", &["a.com"]),
    ]);
    let placeholder = placeholder_of(&all, "TOKEN");
    assert!(
        placeholder.starts_with("ghp_") && placeholder.len() == token.len() && placeholder != token
    );
    assert!(
        placeholder
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
    );
    assert_eq!(placeholder_of(&all, "SHORT").len(), 24);
    // A fork, a saved state and a rotated secret keep theirs; another tenant or key does not.
    let again = secrets(&[SecretSpec::new("TOKEN", token, &["b.com"])]);
    assert_eq!(placeholder_of(&again, "TOKEN"), placeholder);
    let spec = SecretSpec::new("TOKEN", "another value, and longer than it was", &["a.com"]);
    let own = Secrets::new(std::slice::from_ref(&spec), &HostKey::new([8; 32]), "").unwrap();
    assert_eq!(placeholder_of(&own.in_place_of(&all), "TOKEN"), placeholder);
    // In bodies both have one length.
    let own = Secrets::new(&[in_body(spec)], &HostKey::new([8; 32]), "").unwrap();
    assert_ne!(placeholder_of(&own.in_place_of(&all), "TOKEN"), placeholder);
    let spec = [SecretSpec::new("TOKEN", token, &["a.com"])];
    let other = Secrets::new(&spec, &key(), "other").unwrap();
    assert_ne!(placeholder_of(&other, "TOKEN"), placeholder);
    let other = Secrets::new(&spec, &HostKey::new([8; 32]), "tenant").unwrap();
    assert_ne!(placeholder_of(&other, "TOKEN"), placeholder);
}

#[test]
fn secrets_that_cannot_be_kept_are_refused() {
    let new = |spec: SecretSpec| {
        Secrets::new(&[spec], &key(), "")
            .err()
            .map(|e| e.to_string())
    };
    assert!(new(SecretSpec::new("A", "a value of a secret", &["a.com"])).is_none());
    for spec in [
        SecretSpec::new("", VALUE, &["a.com"]),
        SecretSpec::new("A=B", VALUE, &["a.com"]),
        SecretSpec::new("A", "short", &["a.com"]),
        SecretSpec::new("A", "line\r\nbreak in it", &["a.com"]),
        SecretSpec::new("A", "a value that ends in a blank ", &["a.com"]),
        SecretSpec::new("A", &"x".repeat(9000), &["a.com"]),
        SecretSpec::new("A", VALUE, &["*.com"]),
        in_body(SecretSpec::new("A", "hunter22", &["a.com"])),
    ] {
        let why = new(spec.clone()).expect(&spec.name);
        assert!(!why.contains(spec.value.as_str()), "{why}");
        assert!(!format!("{spec:?}").contains(spec.value.as_str()));
    }
    let twice = [
        SecretSpec::new("A", VALUE, &["a.com"]),
        SecretSpec::new("A", VALUE, &["a.com"]),
    ];
    assert!(matches!(
        Secrets::new(&twice, &key(), ""),
        Err(SecretError::Twice(_))
    ));
    let many: Vec<_> = (0..65)
        .map(|i| SecretSpec::new(&format!("S{i}"), VALUE, &["a.com"]))
        .collect();
    assert!(Secrets::new(&many[..64], &key(), "").is_ok());
    assert!(matches!(
        Secrets::new(&many, &key(), ""),
        Err(SecretError::TooMany)
    ));
}

// NW-13
#[test]
fn nw_13_a_value_goes_to_its_host_path_and_method_over_tls() {
    let all = secrets(&[SecretSpec {
        hosts: vec![RuleSpec {
            methods: Some(vec!["POST".into()]),
            ..RuleSpec::from("api.com/v1")
        }],
        ..SecretSpec::new("KEY", VALUE, &[])
    }]);
    let header = format!("Bearer {}", placeholder_of(&all, "KEY"));
    let filled = |url: &str, method: &str| {
        let mut hits = 0;
        let bound = all.bind(&target(url), method);
        let leaks = bound.leak(header.as_bytes()).is_some();
        (bound.fill_header(header.as_bytes(), &mut hits), leaks)
    };
    let expected = format!("Bearer {VALUE}").into_bytes();
    assert_eq!(
        filled("https://api.com/v1/x", "POST"),
        (Some(expected), false)
    );
    for (url, method) in [
        ("https://api.com/v1/x", "GET"),
        ("https://api.com/v2", "POST"),
        ("https://api.com/v1/../v2", "POST"),
        ("http://api.com/v1/x", "POST"),
        ("https://api.com:8443/v1/x", "POST"),
        ("https://evil.com/v1/x", "POST"),
    ] {
        assert_eq!(filled(url, method), (None, true), "{method} {url}");
    }
}

#[test]
fn values_are_put_into_headers_basic_and_queries_in_the_form_of_the_place() {
    let all = secrets(&[SecretSpec::new("KEY", VALUE, &["api.com"])]);
    let placeholder = placeholder_of(&all, "KEY");
    let bound = all.bind(&target("https://api.com/"), "GET");
    let mut hits = 0;
    let basic = format!("basic {}", STANDARD.encode(format!("user:{placeholder}")));
    let filled = bound.fill_header(basic.as_bytes(), &mut hits).unwrap();
    assert_eq!(
        filled,
        format!("basic {}", STANDARD.encode(format!("user:{VALUE}"))).into_bytes()
    );
    for query in [
        placeholder.clone(),
        placeholder.replace('-', "%2d"),
        placeholder.replace('-', "%2D"),
    ] {
        let filled = bound
            .fill_query(format!("a=1&key={query}&b=2").as_bytes(), &mut hits)
            .unwrap();
        assert_eq!(
            filled,
            b"a=1&key=sk-live%2F0123456789%2Babcdef%22%26%3DXYZ&b=2"
        );
    }
    assert_eq!(bound.fill_query(b"a=1", &mut 0), None);
    assert_eq!(all.names(hits), ["KEY".into()]);
}

#[test]
fn each_place_is_opened_by_itself() {
    let mut spec = SecretSpec::new("KEY", VALUE, &["api.com"]);
    spec.places = Places {
        body: true,
        ..Places::NONE
    };
    let all = secrets(&[spec]);
    let placeholder = placeholder_of(&all, "KEY");
    let bound = all.bind(&target("https://api.com/"), "GET");
    let basic = format!("Basic {}", STANDARD.encode(format!("user:{placeholder}")));
    assert_eq!(bound.fill_header(placeholder.as_bytes(), &mut 0), None);
    assert_eq!(bound.fill_header(basic.as_bytes(), &mut 0), None);
    assert_eq!(bound.fill_query(placeholder.as_bytes(), &mut 0), None);
    assert!(bound.fill_body("").is_some());
}

// NW-13
#[test]
fn nw_13_a_placeholder_to_a_stranger_is_found_in_every_form() {
    let all = secrets(&[SecretSpec::new("KEY", VALUE, &["api.com"])]);
    let placeholder = placeholder_of(&all, "KEY");
    let bound = all.bind(&target("https://evil.com/"), "GET");
    let upper =
        percent_encoding::utf8_percent_encode(&placeholder, percent_encoding::NON_ALPHANUMERIC)
            .to_string();
    let url_safe = base64::engine::general_purpose::URL_SAFE_NO_PAD;
    let mut forms = vec![
        placeholder.clone(),
        upper.clone(),
        upper.replace("%2D", "%2d").replace("%5F", "%5f"),
    ];
    for before in ["", "x", "xy", "user:"] {
        forms.push(STANDARD.encode(format!("{before}{placeholder}")));
        forms.push(STANDARD.encode(format!("{before}{placeholder}tail")));
        forms.push(url_safe.encode(format!("{before}{placeholder}tail")));
        forms.push(format!(
            "Basic {}",
            STANDARD.encode(format!("{before}{placeholder}"))
        ));
    }
    for form in &forms {
        for around in [form.clone(), format!("before {form} after")] {
            assert_eq!(bound.leak(around.as_bytes()), Some(0), "{around}");
        }
    }
    assert_eq!(bound.leak(&placeholder.as_bytes()[1..]), None);
    assert_eq!(
        all.bind(&target("https://api.com/"), "GET")
            .leak(placeholder.as_bytes()),
        None
    );
    let mut passing = SecretSpec::new("KEY", VALUE, &["api.com"]);
    passing.pass = true;
    assert_eq!(
        secrets(&[passing])
            .bind_nothing()
            .leak(placeholder.as_bytes()),
        None
    );
}

#[test]
fn a_secret_of_one_host_is_a_stranger_at_another() {
    let all = secrets(&[
        SecretSpec::new("A", "the first of two values", &["a.com"]),
        SecretSpec::new("B", "the other of the values", &["b.com"]),
    ]);
    let bound = all.bind(&target("https://a.com/"), "GET");
    let mut hits = 0;
    assert_eq!(bound.leak(placeholder_of(&all, "B").as_bytes()), Some(1));
    assert_eq!(bound.leak(placeholder_of(&all, "A").as_bytes()), None);
    assert_eq!(
        bound
            .fill_header(placeholder_of(&all, "A").as_bytes(), &mut hits)
            .unwrap(),
        b"the first of two values"
    );
    assert_eq!(
        bound.fill_header(placeholder_of(&all, "B").as_bytes(), &mut hits),
        None
    );
}

#[test]
fn a_reply_shows_the_placeholder_in_place_of_the_value() {
    let value = "sk-proj/0123456789+abcdef\"&=<XYZ";
    let all = secrets(&[SecretSpec::new("KEY", value, &["api.com"])]);
    let placeholder = placeholder_of(&all, "KEY");
    let bound = all.bind(&target("https://api.com/"), "GET");
    let redaction = bound.redaction().unwrap();
    let redact =
        |text: &str| String::from_utf8(redaction.replace(text.as_bytes(), &mut 0)).unwrap();
    let percent = forms::encode(value, Form::Percent);
    for form in [
        value.to_owned(),
        percent.clone(),
        percent
            .replace("%2F", "%2f")
            .replace("%2B", "%2b")
            .replace("%3D", "%3d")
            .replace("%3C", "%3c"),
        percent.replace("%2F", "/"),
        "sk-proj/0123456789+abcdef\\\"&=<XYZ".to_owned(),
        "sk-proj\\/0123456789+abcdef\\\"&=<XYZ".to_owned(),
        "sk-proj/0123456789+abcdef\\\"\\u0026=\\u003cXYZ".to_owned(),
    ] {
        assert_eq!(
            redact(&format!("a {form} b")),
            format!("a {placeholder} b"),
            "{form}"
        );
    }
    // In base64 the characters that it shares with its neighbours stay; the value is gone.
    for before in ["", "x", "xy", "abc"] {
        let echo = STANDARD.encode(format!("{before}{value}tail"));
        let plain = STANDARD.decode(redact(&echo)).unwrap();
        let plain = String::from_utf8_lossy(&plain).into_owned();
        assert!(
            plain.contains(&placeholder[2..placeholder.len() - 2]),
            "{plain}"
        );
        assert!(
            !plain.contains(&value[8..20])
                && plain.len() == echo.len() / 4 * 3 - echo.matches('=').count()
        );
    }
}

/// Percent-encodes all but letters, digits and `kept`.
fn percent(text: &str, kept: &str) -> String {
    let one = |c: char| match c.is_ascii_alphanumeric() || kept.contains(c) {
        true => c.to_string(),
        false => format!("%{:02X}", c as u32),
    };
    text.chars().map(one).collect()
}

/// With the digits of escapes in small letters.
fn small(text: &str) -> String {
    let mut out = text.to_owned();
    for (at, _) in text.match_indices('%') {
        out.replace_range(at..at + 3, &text[at..at + 3].to_ascii_lowercase());
    }
    out
}

fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

/// Base64, where `before` stands before the text.
fn base64(before: &str, text: &str) -> String {
    STANDARD.encode(format!("{before}{text}tail"))
}

fn base64_of_urls(before: &str, text: &str) -> String {
    base64(before, text).replace('+', "-").replace('/', "_")
}

/// What the unreserved characters of URLs are beside letters and digits.
const UNRESERVED: &str = "-_.~";

/// A way to write a secret down.
type Way = (&'static str, fn(&str) -> String, bool);

/// Ways to write a secret down, and whether it is found in them: the guide about keys has them too.
const WAYS: [Way; 24] = [
    ("as it is", |text| text.to_owned(), true),
    ("percent", |text| percent(text, UNRESERVED), true),
    (
        "percent, small",
        |text| small(&percent(text, UNRESERVED)),
        true,
    ),
    ("percent, slashes stay", |text| percent(text, "-_.~/"), true),
    ("percent, all signs", |text| percent(text, ""), true),
    (
        "percent, all signs, small",
        |text| small(&percent(text, "")),
        true,
    ),
    ("JSON", quoted, true),
    (
        "JSON, slashes escaped",
        |text| quoted(text).replace('/', "\\/"),
        true,
    ),
    (
        "JSON for HTML",
        |text| {
            let text = quoted(text).replace('<', "\\u003c");
            text.replace('>', "\\u003e").replace('&', "\\u0026")
        },
        true,
    ),
    ("base64", |text| base64("", text), true),
    ("base64 behind one byte", |text| base64("x", text), true),
    ("base64 behind two", |text| base64("xy", text), true),
    ("base64 of URLs", |text| base64_of_urls("", text), true),
    (
        "base64 of URLs behind one",
        |text| base64_of_urls("x", text),
        true,
    ),
    (
        "base64 of URLs behind two",
        |text| base64_of_urls("xy", text),
        true,
    ),
    (
        "Basic",
        |text| format!("Basic {}", base64("user:", text)),
        true,
    ),
    (
        "percent, letters as well",
        |text| text.bytes().map(|b| format!("%{b:02X}")).collect(),
        false,
    ),
    (
        "hexadecimal",
        |text| text.bytes().map(|b| format!("{b:02x}")).collect(),
        false,
    ),
    ("base64 twice", |text| base64("", &base64("", text)), false),
    (
        "base64 in lines",
        |text| {
            let text = base64(&"x".repeat(48), text);
            let (line, rest) = text.split_at(76);
            format!("{line}\r\n{rest}")
        },
        false,
    ),
    (
        "HTML",
        |text| {
            let text = text.replace('&', "&amp;").replace('<', "&lt;");
            text.replace('"', "&quot;")
        },
        false,
    ),
    (
        "JSON, all escaped",
        |text| text.bytes().map(|b| format!("\\u{b:04x}")).collect(),
        false,
    ),
    ("backwards", |text| text.chars().rev().collect(), false),
    (
        "with blanks",
        |text| text.chars().map(|c| format!("{c} ")).collect(),
        false,
    ),
];

// NW-13
#[test]
fn nw_13_of_24_ways_to_write_a_secret_16_are_searched_for() {
    let value = "sk-proj/0123456789+abcdef\"&=<XYZ>0123456789";
    let all = secrets(&[SecretSpec::new("KEY", value, &["api.com"])]);
    let placeholder = placeholder_of(&all, "KEY");
    let bound = all.bind(&target("https://api.com/"), "GET");
    let stranger = all.bind(&target("https://evil.com/"), "GET");
    let mut found = 0;
    for (name, way, is_found) in WAYS {
        let echo = format!("before {} after", way(value));
        let mut hits = 0;
        let shown = bound
            .redaction()
            .unwrap()
            .replace(echo.as_bytes(), &mut hits);
        assert_eq!(
            (hits == 1, shown != echo.as_bytes()),
            (is_found, is_found),
            "{name}"
        );
        // A placeholder has no signs but dashes, so that it is found in more.
        let leak = stranger.leak(way(&placeholder).as_bytes());
        assert!(leak.is_some() || !is_found, "{name}");
        found += usize::from(is_found);
    }
    assert_eq!(found, 16);
}

/// What looks like secrets and is none: tokens of the same shapes, in all places.
// NW-13
#[test]
fn nw_13_requests_without_a_secret_are_no_leaks() {
    let values = [
        "sk-proj-0123456789abcdefghijklmnopqrstuvwxyz",
        "ghp_0123456789abcdefghijklmnopqrstuvwxyz",
        "AKIAIOSFODNN7EXAMPLE",
        "0123456789abcdef0123456789abcdef",
        VALUE,
    ];
    let specs: Vec<_> = (values.iter().enumerate())
        .map(|(i, value)| SecretSpec::new(&format!("S{i}"), value, &["api.com"]))
        .collect();
    let all = secrets(&specs);
    let own: Vec<_> = all.environment().map(|(_, own)| own.to_owned()).collect();
    let stranger = all.bind(&target("https://evil.com/"), "GET");
    let home = all.bind(&target("https://api.com/"), "GET");
    let mut seed = 1_u64;
    let mut random = |below: usize| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let more = std::env::var("CODEPOD_NETWORK_ROUNDS");
    let rounds = more.map_or(1, |more| more.parse::<usize>().unwrap());
    for i in 0..10_000 * rounds {
        // Another of the same shape; of each fourth only the end is another. In base64 the last
        // character's bits are partly its neighbour's, so it is not the only one.
        let like = own[random(own.len())].as_bytes();
        let kept = match i % 4 {
            0 => like.len() - 2 - random(4),
            _ => 4,
        };
        let mut token = String::from_utf8(like[..kept].to_vec()).unwrap();
        while token.len() < like.len() {
            let letter = LETTERS[random(LETTERS.len())];
            if token.len() > kept || letter != like[kept] {
                token.push(letter as char);
            }
        }
        let text = match i % 5 {
            0 => format!("Bearer {token}"),
            1 => format!("Basic {}", STANDARD.encode(format!("user:{token}"))),
            2 => format!("/v1/{}?key={token}&a=%2D", percent(&token, "")),
            3 => format!(
                "{{\"key\": \"{token}\", \"other\": \"{}\"}}",
                base64("", &token)
            ),
            _ => format!("{token}{token}"),
        };
        assert_eq!(stranger.leak(text.as_bytes()), None, "{text}");
        let mut scan = Scan::new(stranger.leak_scan(), None);
        let (first, second) = text.as_bytes().split_at(random(text.len()));
        let mut passed = scan.pass(first, false).unwrap();
        passed.extend(scan.pass(second, true).unwrap());
        assert_eq!(passed, text.as_bytes());
        let mut hits = 0;
        let filled = home.fill_header(text.as_bytes(), &mut hits);
        assert_eq!((filled, hits), (None, 0), "{text}");
        let shown = home
            .redaction()
            .unwrap()
            .replace(text.as_bytes(), &mut hits);
        assert_eq!((shown.as_slice(), hits), (text.as_bytes(), 0), "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// A body is filled, and a reply redacted, wherever it is divided.
    #[test]
    fn nw_13_a_body_may_be_divided_at_every_byte(before in "[ -~]{0,40}", between in "[ -~]{0,40}", after in "[ -~]{0,40}") {
        let value = "a value of some length: \"0123456789\"";
        let all = secrets(&[in_body(SecretSpec::new("KEY", value, &["api.com"]))]);
        let placeholder = placeholder_of(&all, "KEY");
        let bound = all.bind(&target("https://api.com/"), "POST");
        let body = format!("{before}{placeholder}{between}{placeholder}{after}");
        for media_type in ["text/plain", "application/json", "application/x-www-form-urlencoded"] {
            let form = match media_type { "text/plain" => Form::Raw, "application/json" => Form::Json, _ => Form::Percent };
            let encoded = forms::encode(value, form);
            let expected = format!("{before}{encoded}{between}{encoded}{after}");
            for at in 0..=body.len() {
                let mut filling = bound.fill_body(media_type).unwrap();
                let (first, second) = body.as_bytes().split_at(at);
                let mut out = filling.stream.push(first);
                out.extend(filling.stream.push(second));
                out.extend(filling.stream.finish());
                prop_assert_eq!(&out, expected.as_bytes());
                let mut reply = Stream::new(bound.redaction().unwrap().clone());
                let (first, second) = expected.as_bytes().split_at(at.min(expected.len()));
                let mut back = reply.push(first);
                back.extend(reply.push(second));
                back.extend(reply.finish());
                prop_assert_eq!(&back, body.as_bytes());
            }
        }
    }
}

fn aws() -> AwsSpec {
    AwsSpec {
        access_key_id: "AKIAIOSFODNN7EXAMPLE".to_owned().into(),
        secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY".to_owned().into(),
        session_token: Some(
            "FwoGZXIvYXdzE//example+token/of/a/session=="
                .to_owned()
                .into(),
        ),
        services: vec!["s3".into()],
        regions: vec!["eu-central-1".into()],
        hosts: vec!["https://*.s3.eu-central-1.amazonaws.test".into()],
    }
}

#[test]
fn keys_of_aws_have_placeholders_of_their_shape() {
    let all = secrets(&[]).with_aws(&aws(), &key(), "tenant").unwrap();
    let id = placeholder_of(&all, "AWS_ACCESS_KEY_ID");
    let is_id = |b: u8| b.is_ascii_uppercase() || (b'2'..=b'7').contains(&b);
    assert!(
        id.starts_with("AKIA") && id.len() == 20 && id.bytes().all(is_id),
        "{id}"
    );
    assert_ne!(id, *aws().access_key_id);
    assert_eq!(placeholder_of(&all, "AWS_SECRET_ACCESS_KEY").len(), 40);
    let length = aws().session_token.unwrap().len();
    assert_eq!(placeholder_of(&all, "AWS_SESSION_TOKEN").len(), length);
    let told = all.environment().last();
    assert_eq!(
        told,
        Some(("AWS_REQUEST_CHECKSUM_CALCULATION", "when_required"))
    );
    // What is redacted keeps its length in every form.
    let bound = all.bind(&target("https://b.s3.eu-central-1.amazonaws.test/k"), "GET");
    assert!(bound.redaction().unwrap().keeps_lengths());
    assert!(bound.aws().is_some());
    for other in [
        "https://s3.us-east-1.amazonaws.test/",
        "http://b.s3.eu-central-1.amazonaws.test/",
    ] {
        let bound = all.bind(&target(other), "GET");
        assert!(bound.aws().is_none() && bound.leak(id.as_bytes()) == Some(0));
    }
    let without = AwsSpec {
        session_token: None,
        ..aws()
    };
    let all = secrets(&[]).with_aws(&without, &key(), "tenant").unwrap();
    assert!(
        all.environment()
            .all(|(name, _)| name != "AWS_SESSION_TOKEN")
    );
}

#[test]
fn keys_of_aws_that_cannot_be_used_are_refused() {
    let refused: Vec<fn(&mut AwsSpec)> = vec![
        |spec| spec.access_key_id = "AKIDEXAMPLE".to_owned().into(),
        |spec| spec.access_key_id = "A".repeat(129).into(),
        |spec| spec.access_key_id = "AKIA/OSFODNN7EXAMPLE".to_owned().into(),
        |spec| spec.secret = "short".to_owned().into(),
        |spec| spec.secret = "a secret\nof two lines, and long".to_owned().into(),
        |spec| spec.session_token = Some("x".repeat(9000).into()),
        |spec| spec.services = vec![],
        |spec| spec.regions = vec![],
        |spec| spec.services = vec!["S3".into()],
        |spec| spec.regions = vec!["*".into()],
        |spec| spec.regions = vec!["a".into(); 65],
        |spec| spec.hosts = vec!["*.com".into()],
    ];
    for (index, change) in refused.iter().enumerate() {
        let mut spec = aws();
        change(&mut spec);
        let why = secrets(&[]).with_aws(&spec, &key(), "").err();
        let why = why.unwrap_or_else(|| panic!("{index}")).to_string();
        let told = format!("{why}{spec:?}");
        for value in [&spec.access_key_id, &spec.secret] {
            assert!(!told.contains(value.as_str()), "{told}");
        }
    }
    let named = secrets(&[SecretSpec::new("AWS_SESSION_TOKEN", VALUE, &["a.com"])]);
    let twice = named.with_aws(&aws(), &key(), "");
    assert!(matches!(twice, Err(SecretError::Twice(_))));
    let many: Vec<_> = (0..62)
        .map(|i| SecretSpec::new(&format!("S{i}"), VALUE, &["a.com"]))
        .collect();
    let full = secrets(&many).with_aws(&aws(), &key(), "");
    assert!(matches!(full, Err(SecretError::TooMany)));
}
