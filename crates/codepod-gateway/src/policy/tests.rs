use super::*;
use host::NotAHost;

fn allowed(rules: &[&str]) -> Policy {
    with_rules(rules.iter().map(|rule| RuleSpec::from(*rule)).collect())
}

fn with_rules(rules: Vec<RuleSpec>) -> Policy {
    let spec = PolicySpec {
        allowed_hosts: Some(rules),
        ..PolicySpec::default()
    };
    Policy::new(&spec, 1).unwrap()
}

fn blocked(rules: &[&str]) -> Policy {
    let spec = PolicySpec {
        blocked_hosts: Some(rules.iter().map(|rule| RuleSpec::from(*rule)).collect()),
        ..PolicySpec::default()
    };
    Policy::new(&spec, 1).unwrap()
}

fn private(rule: &str) -> RuleSpec {
    RuleSpec {
        private: true,
        ..RuleSpec::from(rule)
    }
}

fn ok(policy: &Policy, url: &str) -> bool {
    policy.check(url, "GET").is_ok()
}

/// Why a rule is refused.
fn refused(rule: RuleSpec) -> RuleError {
    let spec = PolicySpec {
        allowed_hosts: Some(vec![rule]),
        ..PolicySpec::default()
    };
    match Policy::new(&spec, 1) {
        Err(PolicyError::Rule { why, .. }) => why,
        other => panic!("{other:?}"),
    }
}

fn host(text: &str) -> Host {
    Host::parse(text).unwrap()
}

#[test]
fn a_name_allows_its_two_schemes_at_their_ports() {
    let policy = allowed(&["api.example.com"]);
    assert!(ok(&policy, "https://api.example.com/v1?q=1#f"));
    assert!(ok(&policy, "http://API.example.com./"));
    assert!(ok(&policy, "wss://api.example.com/socket"));
    for other in [
        "https://api.example.com:8443/",
        "http://api.example.com:443/",
        "https://example.com/",
        "https://x.api.example.com/",
        "https://api.example.com.evil.com/",
        "tcp://api.example.com:443",
    ] {
        assert!(!ok(&policy, other), "{other}");
    }
}

#[test]
fn ports_and_schemes_of_a_rule_are_its_only_ones() {
    let policy = allowed(&[
        "https://a.com:8443,9443",
        "b.com:*",
        "http://c.com",
        "tcp://d.com:5432",
    ]);
    assert!(ok(&policy, "https://a.com:9443/") && !ok(&policy, "https://a.com/"));
    assert!(!ok(&policy, "http://a.com:8443/"));
    assert!(ok(&policy, "http://b.com:1/") && ok(&policy, "https://b.com:65535/"));
    assert!(ok(&policy, "http://c.com/") && !ok(&policy, "https://c.com/"));
    assert!(ok(&policy, "tcp://d.com:5432") && !ok(&policy, "https://d.com:5432/"));
    let raw = policy.open(&host("d.com"), 5432).unwrap();
    assert_eq!(raw.protocol(), Protocol::Tcp);
    assert_eq!(
        policy.open(&host("b.com"), 22).unwrap().protocol(),
        Protocol::Http
    );
}

#[test]
fn a_star_means_names_beneath_and_not_the_name_itself() {
    let policy = allowed(&["*.example.com"]);
    assert!(ok(&policy, "https://a.example.com/") && ok(&policy, "https://a.b.example.com/"));
    assert!(!ok(&policy, "https://example.com/") && !ok(&policy, "https://badexample.com/"));
}

#[test]
fn nw_12_a_star_over_what_everybody_can_register_is_refused() {
    for rule in [
        "*.com",
        "*.co.uk",
        "*.github.io",
        "*.test",
        "*.s3.amazonaws.com",
    ] {
        assert_eq!(refused(rule.into()), RuleError::PublicSuffix, "{rule}");
    }
    for rule in ["*.example.co.uk", "*.me.github.io", "*.corp.internal"] {
        allowed(&[rule]);
    }
}

#[test]
fn paths_are_prefixes_by_segment() {
    let policy = allowed(&["https://a.com/v1/models", "https://b.com/v1/"]);
    for good in [
        "/v1/models",
        "/v1/models/",
        "/v1/models/gpt?x=..%2f",
        "/v1/%6dodels",
        "/v1/models/a.b%20c",
    ] {
        assert!(ok(&policy, &format!("https://a.com{good}")), "{good}");
    }
    for bad in [
        "/",
        "/v1",
        "/v1/modelsX",
        "/V1/models",
        "/x/v1/models",
        "//v1/models",
    ] {
        assert!(!ok(&policy, &format!("https://a.com{bad}")), "{bad}");
    }
    assert!(ok(&policy, "https://b.com/v1/x"));
}

// NW-07
#[test]
fn nw_07_a_path_that_servers_read_differently_is_beneath_no_prefix() {
    let policy = allowed(&["https://a.com/v1", "https://free.com"]);
    let open = blocked(&["https://a.com/admin"]);
    for trap in [
        "/v1/../admin",
        "/v1/./x",
        "/v1/..",
        "/v1/%2e%2e/admin",
        "/v1/.%2E/admin",
        "/v1%2fadmin",
        "/v1/%5cadmin",
        "/v1/;/admin",
        "/v1;x",
        "/v1/%252e%252e/admin",
        "/v1//admin",
        "/v1/%00",
        "/v1/%3bx",
        "/v1/%zz",
        "/v1/%2",
        "/v1/x%3fy",
        "/v1/x%0a",
        "/v1/x%23y",
    ] {
        assert!(!ok(&policy, &format!("https://a.com{trap}")), "{trap}");
        assert!(
            ok(&policy, &format!("https://free.com{trap}")),
            "no rule looks at the path: {trap}"
        );
        assert!(
            !ok(&open, &format!("https://a.com{trap}")),
            "may be the blocked path: {trap}"
        );
    }
    assert!(ok(&open, "https://a.com/v1") && !ok(&open, "https://a.com/admin/x"));
    assert!(!ok(&open, "https://a.com/%61dmin"));
}

#[test]
fn methods_are_those_of_the_rule() {
    let read = RuleSpec {
        methods: Some(vec!["GET".into(), "HEAD".into()]),
        ..RuleSpec::from("a.com")
    };
    let policy = with_rules(vec![read, "b.com".into()]);
    let may = |url, method| policy.check(url, method).is_ok();
    assert!(may("https://a.com/", "GET") && may("https://a.com/", "HEAD"));
    assert!(!may("https://a.com/", "POST") && !may("https://a.com/", "get"));
    assert!(may("https://b.com/", "PROPFIND"));
    for never in ["CONNECT", "TRACE", "", "GE T", "GET\r\nX: y"] {
        assert!(!may("https://b.com/", never), "{never}");
    }
}

#[test]
fn rules_that_say_nothing_sensible_are_refused() {
    for (rule, why) in [
        ("ftp://a.com", RuleError::Scheme),
        ("", RuleError::Host),
        ("*", RuleError::Host),
        ("a.*.com", RuleError::Host),
        ("api.*", RuleError::Host),
        ("*a.com", RuleError::Host),
        ("a..com", RuleError::Host),
        ("user@a.com", RuleError::Host),
        ("a.com:", RuleError::Port),
        ("a.com:0", RuleError::Port),
        ("a.com:65536", RuleError::Port),
        ("a.com:+80", RuleError::Port),
        ("a.com:80,", RuleError::Port),
        ("tcp://a.com", RuleError::NoPort),
        ("tcp://a.com:5/x", RuleError::NotHttp),
        ("a.com/../x", RuleError::Path),
        ("a.com/x?y", RuleError::Path),
        ("a.com/%2f", RuleError::Path),
        ("10.0.0.0/8", RuleError::NeedsPrivate),
        ("192.168.1.1", RuleError::NeedsPrivate),
        ("127.1", RuleError::NeedsPrivate),
        ("8.8.8.8/8", RuleError::RangeHasHostBits),
        ("224.0.0.1", RuleError::NeverDialled),
        ("[fd00::1", RuleError::Host),
        ("[a.com]", RuleError::Host),
    ] {
        assert_eq!(refused(rule.into()), why, "{rule}");
    }
}

#[test]
fn addresses_and_ranges_are_rules_for_addresses() {
    let policy = with_rules(vec![
        private("10.0.0.0/8:5432,80"),
        private("[fd00::/8]:8080"),
        "8.8.8.8".into(),
        "[2600::1]:8443".into(),
        private("192.168.1.1/v1"),
    ]);
    assert!(ok(&policy, "http://10.1.2.3/") && !ok(&policy, "https://10.1.2.3/"));
    assert!(ok(&policy, "http://[fd12::1]:8080/") && ok(&policy, "https://8.8.8.8/"));
    assert!(ok(&policy, "https://[2600:0:0::1]:8443/"));
    assert!(ok(&policy, "https://192.168.1.1/v1/x") && !ok(&policy, "https://192.168.1.1/v2"));
    assert!(!ok(&policy, "http://11.1.2.3/") && !ok(&policy, "http://[2600::2]/"));
    assert!(policy.open(&host("10.0.0.1"), 80).unwrap().beyond().private);
    assert!(!policy.open(&host("8.8.8.8"), 443).unwrap().beyond().private);
}

// NW-05
#[test]
fn nw_05_an_address_is_one_however_it_is_written() {
    for text in [
        "127.0.0.1",
        "2130706433",
        "0177.0.0.1",
        "0x7f.1",
        "0x7F000001",
        "127.1",
        "127.0.1",
        "１２７．０．０．１",
        "127.0.0.1.",
        "017700000001",
        "0x7f.0x0.0x0.0x1",
        "127。0。0。1",
        "::ffff:127.0.0.1",
        "[::ffff:7f00:1]",
        "①②⑦.0.0.1",
    ] {
        assert_eq!(
            Host::parse(text),
            Ok(Host::Ip([127, 0, 0, 1].into())),
            "{text}"
        );
    }
    for text in [
        "",
        ".",
        "..",
        "a..b",
        ".a",
        "127.0.0.1..",
        "256.1.1.1",
        "1.2.3.4.5",
        "0x100000000",
        "127.0.0.08",
        "%31.0.0.1",
        "fe80::1%eth0",
        "[::1",
        "::1]",
        "a b",
        "a_b!c",
        "a\u{0}b",
        "exa\tmple.com",
        "[::g]",
        "xn--a",
        "a/b",
        "a:1",
    ] {
        assert_eq!(Host::parse(text), Err(NotAHost), "{text:?}");
    }
    let long = format!("{}.com", "a".repeat(64));
    assert!(Host::parse(&long).is_err() && Host::parse(&"a.".repeat(128)).is_err());
    assert_eq!(host(&"a.".repeat(127)).to_string().len(), 253);
    assert_eq!(host("LOCALHOST.").to_string(), "localhost");
    assert_eq!(host("BÜCHER.example").to_string(), "xn--bcher-kva.example");
}

// NW-07
#[test]
fn nw_07_urls_that_programs_read_differently_are_denied() {
    let policy = allowed(&["good.com", "evil.com", "good.com:*", "evil.com:*"]);
    for url in [
        "http:good.com",
        "http:/good.com",
        "http:///good.com",
        "//good.com/",
        "good.com",
        "http://",
        "https://good.com:/",
        "http://good.com\\@evil.com/",
        "http:\\\\good.com/",
        "http://good.com\\.evil.com/",
        "http://good.com#@evil.com/",
        "http://good.com?@evil.com/",
        "http://good.com@x@evil.com/",
        "http://a@good.com@evil.com",
        "http://good.com\t.evil.com/",
        "http://good.com\r\nHost:evil.com/",
        "ht\ntp://good.com/",
        " http://good.com/",
        "http://good.com /",
        "http://good.com\u{a0}/",
        "http://good.com:80:80/",
        "http://good.com:+80/",
        "http://good.com: 80/",
        "http://good.com:0/",
        "http://good.com:65536/",
        "http://good.com:8０/",
        "http://good.com%2f@evil.com:80%40/",
        "http://good%2ecom/",
        "http://go%6fd.com/",
        "http://[good.com]/",
        "http://good.com]/",
        "http://[::1]good.com/",
        "http://good.com:[80]/",
        "http://u[@]good.com/",
        "http://good.com,evil.com/",
        "http://good.com&evil.com/",
        "http://good.com;evil.com/",
        "http://good.com\0.evil.com/",
        "http://goo\u{ad}d..com/",
        "javascript://good.com/%0a",
        "file://good.com/etc",
        "gopher://good.com:80/",
        "ftp://good.com/",
        "data://good.com/",
        "blob:http://good.com/",
        "http+unix://good.com/",
        "https+http://good.com/",
        "ws:good.com",
        "http://good.com:80\\@evil.com/",
    ] {
        let denial = policy.check(url, "GET").expect_err(url);
        assert_eq!(denial.kind, DenialKind::Ambiguous, "{url:?}: {denial}");
    }
    // What all read in the same way is not ambiguous.
    for url in [
        "http://user:pw@good.com/",
        "HTTP://GOOD.COM:080/",
        "https://good.com?q=a/b",
        "https://good.com/@x",
        "https://good.com#f",
    ] {
        assert!(ok(&policy, url), "{url}");
    }
}

// NW-07
#[test]
fn nw_07_letters_that_look_alike_are_another_name() {
    let policy = allowed(&["apple.com", "bücher.example"]);
    assert!(!ok(&policy, "https://аpple.com/"), "with a Cyrillic letter");
    assert!(
        ok(&policy, "https://ａpple.com/"),
        "a full-width letter is the letter"
    );
    assert!(
        ok(&policy, "https://xn--bcher-kva.example/") && ok(&policy, "https://BÜCHER.example/")
    );
}

// NW-06
#[test]
fn nw_06_metadata_services_are_denied_unless_named_with_private() {
    let services = [
        "http://169.254.169.254/latest/meta-data/",
        "http://0xa9fea9fe/",
        "http://[::ffff:169.254.169.254]/",
        "http://[fd00:ec2::254]/",
        "http://metadata.google.internal/",
        "http://METADATA.google.internal./",
        "http://168.63.129.16/",
        "http://100.100.100.200/",
        "http://[64:ff9b::a9fe:a9fe]/",
        "http://192.0.0.192/",
        "http://169.254.170.2/v2/credentials",
        "http://instance-data/",
    ];
    let named = with_rules(vec![
        private("169.254.169.254"),
        private("metadata.google.internal"),
        private("*.google.internal"),
        private("100.64.0.0/10"),
    ]);
    for policy in [
        blocked(&[]),
        allowed(&["*.google.internal", "metadata.google.internal"]),
        Policy::new(&PolicySpec::default(), 1).unwrap(),
    ] {
        for service in services {
            let denial = policy.check(service, "GET").expect_err(service);
            assert_eq!(denial.kind, DenialKind::Metadata, "{service}");
        }
    }
    assert!(ok(&named, services[0]) && ok(&named, services[4]));
    assert!(!ok(&named, services[7]), "within a range is not named");
    assert!(
        named
            .open(&host("169.254.169.254"), 80)
            .unwrap()
            .beyond()
            .metadata
    );
    assert!(
        !named
            .open(&host("other.google.internal"), 80)
            .unwrap()
            .beyond()
            .metadata
    );
}

#[test]
fn with_no_list_nothing_is_allowed() {
    let policy = Policy::new(&PolicySpec::default(), 1).unwrap();
    assert!(!ok(&policy, "https://a.com/") && !policy.knows(&host("a.com")));
    assert!(!ok(&allowed(&[]), "https://a.com/"));
}

#[test]
fn a_block_list_leaves_the_usual_ports_open() {
    let policy = blocked(&[
        "evil.com",
        "*.evil.com",
        "half.com:8080",
        "https://read.com/x",
        "1.2.3.0/24",
    ]);
    assert!(ok(&policy, "https://a.com/") && ok(&policy, "http://a.com/"));
    for url in [
        "https://evil.com/",
        "http://evil.com:8080/",
        "https://a.evil.com/",
        "https://read.com/x/y",
        "https://1.2.3.4/",
        "https://[64:ff9b::1.2.3.4]/",
        "http://a.com:22/",
        "http://a.com:6379/",
        "tcp://a.com:443",
        "https://[::ffff:1.2.3.4]/",
    ] {
        assert!(!ok(&policy, url), "{url}");
    }
    assert!(
        ok(&policy, "https://half.com/")
            && ok(&policy, "https://read.com/y")
            && ok(&policy, "http://read.com/x")
    );
    assert!(!policy.knows(&host("evil.com")) && policy.knows(&host("half.com")));
    assert!(
        policy.open(&host("evil.com"), 443).is_err() && policy.open(&host("read.com"), 443).is_ok()
    );
    assert!(
        policy
            .blocks_address("1.2.3.4".parse().unwrap(), 443)
            .is_some()
    );
    assert!(
        policy
            .blocks_address("1.2.4.4".parse().unwrap(), 22)
            .is_none()
    );
}

#[test]
fn allowed_hosts_make_blocked_hosts_meaningless() {
    let spec = PolicySpec {
        allowed_hosts: Some(vec!["a.com".into()]),
        blocked_hosts: Some(vec!["a.com".into()]),
        ..PolicySpec::default()
    };
    assert!(ok(&Policy::new(&spec, 1).unwrap(), "https://a.com/"));
}

#[test]
fn a_denial_names_host_and_rule_and_how_to_ask() {
    let policy = allowed(&["https://a.com/v1"]);
    let denial = policy.check("https://b.com:8443/", "GET").unwrap_err();
    assert_eq!(
        denial.to_string(),
        "codepod: b.com:8443 is not in allowed_hosts; to allow it, add `b.com:8443` to allowed_hosts"
    );
    let denial = policy.check("https://a.com/v2", "GET").unwrap_err();
    assert_eq!(
        denial.to_string(),
        "codepod: a.com:443 is in allowed_hosts, but rule 1 of allowed_hosts (`https://a.com/v1`) does not allow this \
         port, protocol, method or path; to allow it, widen rule 1 of allowed_hosts"
    );
    assert_eq!(denial.rule.unwrap().number, 1);
    let denial = blocked(&["x.com", "a.com"])
        .check("https://a.com/", "GET")
        .unwrap_err();
    assert_eq!(
        denial.to_string(),
        "codepod: a.com:443 is blocked by rule 2 of blocked_hosts (`a.com`); to allow it, take rule 2 out of blocked_hosts"
    );
}

#[test]
fn a_policy_that_reports_lets_through_what_the_lists_deny_and_nothing_else() {
    let spec = PolicySpec {
        allowed_hosts: Some(vec!["a.com".into()]),
        mode: Mode::Report,
        ..PolicySpec::default()
    };
    let policy = Policy::new(&spec, 7).unwrap();
    assert!(
        policy
            .check("https://a.com/", "GET")
            .unwrap()
            .reported
            .is_none()
    );
    let grant = policy.check("https://b.com/", "GET").unwrap();
    assert_eq!(grant.version, 7);
    assert_eq!(
        grant.reported.as_ref().unwrap().kind,
        DenialKind::NotAllowed
    );
    assert_eq!(grant.beyond(), Beyond::default());
    for still in ["http://169.254.169.254/", "http:b.com", "file://b.com/"] {
        assert!(!ok(&policy, still), "{still}");
    }
}

#[test]
fn static_addresses_belong_to_names() {
    let mut spec = PolicySpec {
        allowed_hosts: Some(vec!["db.test:5432".into()]),
        hosts: [
            ("DB.test", "127.0.0.1:5433"),
            ("v6.test", "[::1]:8080"),
            ("ip.test", "10.0.0.1"),
        ]
        .map(|(name, address)| (name.to_owned(), address.to_owned()))
        .into(),
        ..PolicySpec::default()
    };
    let policy = Policy::new(&spec, 1).unwrap();
    let at = |name: &str, port| {
        policy
            .static_address(&host(name))
            .unwrap()
            .at(port)
            .to_string()
    };
    assert_eq!(at("db.test", 5432), "127.0.0.1:5433");
    assert_eq!(at("v6.test", 80), "[::1]:8080");
    assert_eq!(at("ip.test", 80), "10.0.0.1:80");
    assert!(
        policy.open(&host("ip.test"), 443).is_err(),
        "an address is no rule"
    );
    for (name, address) in [
        ("1.2.3.4", "1.2.3.4"),
        ("a.test", "b.test"),
        ("a.test", "1.2.3.4:0"),
        ("*.a.test", "1.2.3.4"),
    ] {
        spec.hosts = [(name.to_owned(), address.to_owned())].into();
        assert!(Policy::new(&spec, 1).is_err(), "{name} {address}");
    }
}

#[test]
fn a_policy_beneath_another_allows_what_both_do() {
    let spec = |rules: Vec<RuleSpec>, hosts: &[(&str, &str)]| PolicySpec {
        allowed_hosts: Some(rules),
        hosts: hosts
            .iter()
            .map(|(name, at)| ((*name).to_owned(), (*at).to_owned()))
            .collect(),
        ..PolicySpec::default()
    };
    let ceiling = spec(
        vec![
            "*.a.com".into(),
            "db.test:5432".into(),
            private("10.0.0.0/8"),
        ],
        &[("db.test", "10.1.1.1:5433")],
    );
    let ceiling = Arc::new(Policy::new(&ceiling, 1).unwrap());
    let own = spec(
        vec![
            "x.a.com".into(),
            "b.com".into(),
            private("10.0.0.1"),
            "db.test:5432".into(),
        ],
        // What is not public is for the one above to grant.
        &[("x.a.com", "127.0.0.1"), ("db.test", "127.0.0.1:1")],
    );
    let policy = Policy::new(&own, 2).unwrap().beneath(ceiling);
    assert!(ok(&policy, "https://x.a.com/") && policy.knows(&host("x.a.com")));
    assert!(!ok(&policy, "https://y.a.com/"), "its own rules count");
    let denial = policy.check("https://b.com/", "GET").unwrap_err();
    assert_eq!(
        denial.to_string(),
        "codepod: this server allows no sandbox more: b.com:443 is not in allowed_hosts"
    );
    assert!(!policy.knows(&host("b.com")), "nothing is looked up for it");
    assert!(policy.static_address(&host("x.a.com")).is_none());
    let at = policy.static_address(&host("db.test")).unwrap().at(5432);
    assert_eq!(at.to_string(), "10.1.1.1:5433");
    assert!(policy.open(&host("10.0.0.1"), 80).unwrap().beyond().private);
    let report = PolicySpec {
        mode: Mode::Report,
        ..own
    };
    let public = Arc::new(allowed(&["x.a.com"]));
    let policy = Policy::new(&report, 3).unwrap().beneath(public);
    assert!(ok(&policy, "https://x.a.com/") && !ok(&policy, "https://b.com/"));
    assert!(policy.open(&host("10.0.0.1"), 80).is_err());
}

#[test]
fn a_policy_beneath_another_checks_certificates_as_much() {
    let rule = |tls: TlsSpec| RuleSpec {
        tls,
        ..RuleSpec::from("api.test")
    };
    let checked = TlsSpec::default();
    let insecure = TlsSpec {
        insecure: true,
        ..TlsSpec::default()
    };
    let roots = |der: u8| TlsSpec {
        roots: Some(vec![vec![der]]),
        ..TlsSpec::default()
    };
    let cert = ClientCert {
        chain: vec![vec![3]],
        key: vec![4].into(),
    };
    let shown = TlsSpec {
        client_cert: Some(cert.clone()),
        ..TlsSpec::default()
    };
    let shown_to = |der: u8| TlsSpec {
        client_cert: Some(cert.clone()),
        ..roots(der)
    };
    // The ceiling's, that of who is beneath it, and what counts.
    let cases = [
        (&checked, &insecure, &checked),
        (&insecure, &insecure, &insecure),
        (&insecure, &checked, &checked),
        (&insecure, &roots(1), &roots(1)),
        (&roots(2), &insecure, &roots(2)),
        (&roots(2), &checked, &roots(2)),
        (&roots(2), &roots(1), &roots(2)),
        (&roots(2), &shown, &shown_to(2)),
        (&checked, &roots(1), &roots(1)),
        // What the ceiling's servers are shown is not for those beneath it.
        (&shown, &checked, &checked),
    ];
    for (most, own, expected) in cases {
        let ceiling = Arc::new(with_rules(vec![rule(most.clone())]));
        let policy = with_rules(vec![rule(own.clone())]).beneath(ceiling);
        let host = host("api.test");
        let opened = [
            policy.check("https://api.test/", "GET"),
            policy.stream(&host, 443, Scheme::Https),
            policy.open(&host, 443),
        ];
        for grant in opened {
            assert_eq!(*grant.unwrap().tls, *expected, "{own:?} beneath {most:?}");
        }
    }
    // What is only reported is checked, too.
    let spec = PolicySpec {
        mode: Mode::Report,
        allowed_hosts: Some(vec![]),
        ..PolicySpec::default()
    };
    let ceiling = Arc::new(Policy::new(&spec, 1).unwrap());
    let policy = with_rules(vec![rule(insecure)]).beneath(ceiling);
    let grant = policy.check("https://api.test/", "GET").unwrap();
    assert!(!grant.tls.insecure);
}

#[test]
fn a_policy_names_the_ports_that_it_uses() {
    let ports = |policy: &Policy| policy.ports().map(Vec::from_iter);
    assert_eq!(
        ports(&allowed(&["a.com", "tcp://b.com:25,26", "http://c.com"])),
        Some(vec![25, 26, 80, 443])
    );
    assert_eq!(ports(&allowed(&["a.com:*"])), None);
    assert_eq!(ports(&blocked(&["a.com"])), Some(vec![80, 443]));
    let spec = PolicySpec {
        allowed_hosts: Some(vec!["db.test:5432".into()]),
        hosts: [("db.test".to_owned(), "127.0.0.1:1".to_owned())].into(),
        ..PolicySpec::default()
    };
    assert_eq!(ports(&Policy::new(&spec, 1).unwrap()), Some(vec![1, 5432]));
}

#[test]
fn a_list_has_a_limit() {
    let spec = |count| PolicySpec {
        allowed_hosts: Some(vec!["a.com".into(); count]),
        ..PolicySpec::default()
    };
    assert!(Policy::new(&spec(MAX_RULES), 1).is_ok());
    assert!(matches!(
        Policy::new(&spec(MAX_RULES + 1), 1),
        Err(PolicyError::TooMany)
    ));
    assert_eq!(
        refused("a".repeat(5000).as_str().into()),
        RuleError::TooLong
    );
}
