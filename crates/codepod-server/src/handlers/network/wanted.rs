//! The network that a client asks for, as the library has it.
//!
//! What a server does not leave to its clients is refused here, with the reason, and not left out
//! in silence.

use std::path::PathBuf;

use codepod::network::{
    AwsSpec, CassetteSpec, Mode, Network, NetworkSpec, OnRequest, Places, PolicySpec, RuleSpec,
    SecretSpec, TlsSpec, certificates, client_cert,
};
use codepod_api::methods::network::{AwsKeys, HostRule, NetworkParams, Secret, SecretPlace};
use codepod_api::{ApiError, Kind};

use crate::failure::failure;
use crate::server::{Reach, ServerOptions};

/// The network that a client asks for, within what the server allows.
pub(super) fn network(
    options: &ServerOptions,
    params: NetworkParams,
    asks: Option<OnRequest>,
) -> Result<Network, ApiError> {
    let spec = |params| {
        let mut spec = spec(params)?;
        spec.on_request = asks;
        Ok::<_, ApiError>(spec)
    };
    let made = match &options.reach {
        Reach::Nothing => {
            let error = ApiError::new(Kind::Denied, "this server gives sandboxes no network");
            return Err(error.hint(
                "start it so that it does: `Client(network=True)` in Python, `new Client({ network: true })` in TypeScript, `codepod rpc --network`, or `[network]` in the configuration of `codepod serve`",
            ));
        }
        Reach::Anything => {
            // Whoever may mount directories of the host may name one for a recording.
            if !options.host_mounts {
                no_directory(&params)?;
            }
            Network::new(spec(params)?)
        }
        Reach::Within(ceiling) => {
            within_ceiling(&params)?;
            Network::beneath(ceiling, spec(params)?)
        }
    };
    made.map_err(failure)
}

/// Refuses what a client may not ask for where the server has a ceiling.
fn within_ceiling(params: &NetworkParams) -> Result<(), ApiError> {
    no_directory(params)?;
    if params.hosts.is_some() {
        let error = ApiError::new(Kind::Denied, "addresses of `hosts` are this server's");
        return Err(error.hint("leave out `hosts`"));
    }
    // The ceiling says which servers are reached. Who they are is only known by their certificates.
    let mut rules = params.rules.iter().flatten();
    if let Some(rule) = rules.find(|rule| rule.insecure == Some(true)) {
        let message = format!(
            "`insecure` of the rule `{}`: this server checks the certificates of everything that its sandboxes reach",
            rule.rule
        );
        return Err(ApiError::new(Kind::Denied, message).hint(
            "leave out `insecure`; `authorities` has the certificates of an authority of your own",
        ));
    }
    Ok(())
}

/// Refuses directories of the host.
fn no_directory(params: &NetworkParams) -> Result<(), ApiError> {
    let Some((option, _)) = cassettes(params).next() else {
        return Ok(());
    };
    let message = format!(
        "`{option}` names a directory of this server's host, and its clients may name none"
    );
    Err(ApiError::new(Kind::Denied, message).hint(format!(
        "leave out `{option}`; a client that has started its server can give it: `Client(network=True)` in Python, `new Client({{ network: true }})` in TypeScript, `codepod rpc --network`"
    )))
}

/// Refuses a recording for a sandbox that has a network already.
pub(super) fn without_cassette(params: &NetworkParams) -> Result<(), ApiError> {
    let Some((option, _)) = cassettes(params).next() else {
        return Ok(());
    };
    let message = format!(
        "`{option}` is for a sandbox without a network: what is recorded or replayed does not change later"
    );
    Err(ApiError::new(Kind::InvalidParams, message)
        .hint(format!("leave out `{option}`, or create a sandbox with it")))
}

/// The options that name a recording, with its directory.
fn cassettes(params: &NetworkParams) -> impl Iterator<Item = (&'static str, &str)> {
    let options = [
        ("record", params.record.as_deref()),
        ("replay", params.replay.as_deref()),
    ];
    let given = |(option, directory): (_, Option<_>)| Some((option, directory?));
    options.into_iter().filter_map(given)
}

fn cassette(params: &NetworkParams) -> Result<Option<CassetteSpec>, ApiError> {
    let mut given = cassettes(params);
    let (Some((option, directory)), other) = (given.next(), given.next()) else {
        return Ok(None);
    };
    if other.is_some() {
        let message = "`record` and `replay` are both given";
        let error = ApiError::new(Kind::InvalidParams, message);
        return Err(error.hint("give `record` the first time, and `replay` from then on"));
    }
    let directory = PathBuf::from(directory);
    // The server may be behind a wall, where nobody asks for the working directory.
    if !directory.is_absolute() {
        let message = format!("`{option}`: `{}` is not absolute", directory.display());
        let error = ApiError::new(Kind::InvalidParams, message);
        return Err(error.hint("name a directory of the host from its root on"));
    }
    Ok(Some(match option {
        "record" => CassetteSpec::record(directory),
        _ => CassetteSpec::replay(directory),
    }))
}

fn spec(params: NetworkParams) -> Result<NetworkSpec, ApiError> {
    let cassette = cassette(&params)?;
    let NetworkParams {
        allowed_hosts,
        rules,
        blocked_hosts,
        hosts,
        report_only,
        secrets,
        aws,
        record: _,
        replay: _,
        ask: _,
        requests,
        bytes_in,
        bytes_out,
        connections,
    } = params;
    let allows = allowed_hosts.is_some() || rules.is_some();
    if allows && blocked_hosts.is_some() {
        let message = "`blockedHosts` is for a sandbox without `allowedHosts` and `rules`";
        return Err(ApiError::new(Kind::InvalidParams, message));
    }
    let plain = |rules: Vec<String>| rules.into_iter().map(|rule| RuleSpec::from(rule.as_str()));
    let mut allowed: Vec<RuleSpec> = plain(allowed_hosts.unwrap_or_default()).collect();
    for rule in rules.unwrap_or_default() {
        allowed.push(self::rule(rule)?);
    }
    let mut spec = NetworkSpec::default();
    spec.policy = PolicySpec {
        allowed_hosts: allows.then_some(allowed),
        blocked_hosts: blocked_hosts.map(|rules| plain(rules).collect()),
        hosts: hosts.unwrap_or_default(),
        mode: match report_only {
            Some(true) => Mode::Report,
            _ => Mode::Enforce,
        },
    };
    spec.secrets = secrets.unwrap_or_default().iter().map(secret).collect();
    spec.aws = aws.map(self::aws);
    spec.cassette = cassette;
    let limits = &mut spec.limits;
    for (limit, wanted) in [
        (&mut limits.requests, requests),
        (&mut limits.bytes_in, bytes_in),
        (&mut limits.bytes_out, bytes_out),
        (&mut limits.connections, connections),
    ] {
        *limit = wanted.unwrap_or(*limit);
    }
    Ok(spec)
}

fn rule(rule: HostRule) -> Result<RuleSpec, ApiError> {
    let wrong = |option: &str, why: &str, hint: &str| {
        let message = format!("`{option}` of the rule `{}`: {why}", rule.rule);
        ApiError::new(Kind::InvalidParams, message).hint(hint)
    };
    let insecure = rule.insecure.unwrap_or(false);
    for (option, given) in [
        ("insecure", insecure),
        ("clientCert", rule.client_cert.is_some()),
    ] {
        if given && (rule.rule.starts_with("http://") || rule.rule.starts_with("tcp://")) {
            let why = "there is no TLS, so nobody shows a certificate";
            let hint = format!("leave out `{option}`, or write a rule for https or tls");
            return Err(wrong(option, why, &hint));
        }
    }
    for (option, given) in [
        ("authorities", rule.authorities.is_some()),
        ("clientCert", rule.client_cert.is_some()),
    ] {
        if insecure && given {
            let why =
                format!("who takes any certificate does not know who the server of `{option}` is");
            let hint = format!("leave out `insecure` or `{option}`");
            return Err(wrong("insecure", &why, &hint));
        }
    }
    let roots = rule.authorities.as_ref().map(|pem| {
        certificates(pem.as_bytes())
            .map_err(|why| wrong("authorities", &why, "give certificates in PEM"))
    });
    let client = rule.client_cert.as_ref().map(|own| {
        let hint = "`chain` is certificates in PEM, its own first, and `key` is its key in PEM, without a passphrase";
        client_cert(own.chain.as_bytes(), own.key.as_bytes())
            .map_err(|why| wrong("clientCert", &why, hint))
    });
    Ok(RuleSpec {
        tls: TlsSpec {
            roots: roots.transpose()?,
            insecure,
            client_cert: client.transpose()?,
        },
        rule: rule.rule,
        methods: rule.methods,
        private: rule.private.unwrap_or(false),
    })
}

fn secret(secret: &Secret) -> SecretSpec {
    let hosts: Vec<&str> = secret.hosts.iter().map(String::as_str).collect();
    let mut spec = SecretSpec::new(&secret.name, &secret.value, &hosts);
    if let Some(places) = &secret.places {
        let has = |place| places.contains(&place);
        spec.places = Places {
            header: has(SecretPlace::Header),
            basic: has(SecretPlace::Basic),
            query: has(SecretPlace::Query),
            body: has(SecretPlace::Body),
            websocket: has(SecretPlace::Websocket),
        };
    }
    spec.redact = secret.redact.unwrap_or(true);
    spec
}

fn aws(keys: AwsKeys) -> AwsSpec {
    let hosts = keys.hosts.iter();
    AwsSpec {
        access_key_id: keys.access_key_id.into(),
        secret: keys.secret.into(),
        session_token: keys.session_token.map(Into::into),
        services: keys.services,
        regions: keys.regions,
        hosts: hosts.map(|host| RuleSpec::from(host.as_str())).collect(),
    }
}

#[cfg(test)]
mod tests {
    use codepod_api::methods::network::ClientCert;

    use super::*;

    /// What stands in PEM is looked at when it is shown to a server.
    const CHAIN: &str = "-----BEGIN CERTIFICATE-----\nAQID\n-----END CERTIFICATE-----\n";
    const KEY: &str = "-----BEGIN PRIVATE KEY-----\nBAUG\n-----END PRIVATE KEY-----\n";

    fn with_rule(rule: HostRule) -> NetworkParams {
        NetworkParams {
            rules: Some(vec![rule]),
            ..NetworkParams::default()
        }
    }

    fn any_certificate(rule: &str) -> HostRule {
        HostRule {
            rule: rule.into(),
            insecure: Some(true),
            ..HostRule::default()
        }
    }

    fn shown(rule: &str, chain: &str, key: &str) -> HostRule {
        HostRule {
            rule: rule.into(),
            client_cert: Some(ClientCert {
                chain: chain.into(),
                key: key.into(),
            }),
            ..HostRule::default()
        }
    }

    fn recorded(directory: &str) -> NetworkParams {
        NetworkParams {
            allowed_hosts: Some(vec!["api.test".into()]),
            record: Some(directory.into()),
            ..NetworkParams::default()
        }
    }

    /// The kind of the error, its message and its hint.
    #[track_caller]
    fn refused<T>(made: Result<T, ApiError>) -> (Kind, String) {
        let error = made.err().expect("an error");
        assert!(!error.data.hint.is_empty());
        (error.kind(), error.message)
    }

    fn reaching(reach: Reach) -> ServerOptions {
        ServerOptions {
            reach,
            host_mounts: true,
            ..ServerOptions::default()
        }
    }

    fn beneath(rules: &[&str]) -> ServerOptions {
        let spec = NetworkSpec::allowing(rules.iter().copied());
        reaching(Reach::Within(Network::new(spec).unwrap()))
    }

    #[test]
    fn a_secret_is_put_into_its_places_only() {
        let mut wanted = Secret {
            name: "KEY".into(),
            value: "sk-canary-0123456789".into(),
            hosts: vec!["api.test".into()],
            places: Some(vec![SecretPlace::Websocket]),
            redact: None,
        };
        let places = secret(&wanted).places;
        assert!(places.websocket);
        assert!(!(places.header || places.basic || places.query || places.body));
        wanted.places = None;
        assert_eq!(secret(&wanted).places, Places::default());
    }

    #[test]
    fn keys_of_an_account_are_for_services_regions_and_hosts() {
        let keys = AwsKeys {
            access_key_id: "AKIAIOSFODNN7EXAMPLE".into(),
            secret: "canary/0123456789".into(),
            session_token: Some("token-0123456789".into()),
            services: vec!["s3".into()],
            regions: vec!["eu-central-1".into()],
            hosts: vec!["https://s3.eu-central-1.amazonaws.com/bucket".into()],
        };
        assert!(!format!("{keys:?}").contains("canary"));
        let params = |aws: &AwsKeys| NetworkParams {
            allowed_hosts: Some(vec!["*.eu-central-1.amazonaws.com".into()]),
            aws: Some(aws.clone()),
            ..NetworkParams::default()
        };
        let spec = spec(params(&keys)).unwrap().aws.unwrap();
        assert_eq!(
            (&**spec.access_key_id, &**spec.secret),
            ("AKIAIOSFODNN7EXAMPLE", "canary/0123456789")
        );
        assert_eq!(spec.session_token.unwrap().as_str(), "token-0123456789");
        assert_eq!(
            (spec.services, spec.regions),
            (keys.services.clone(), keys.regions.clone())
        );
        assert_eq!(spec.hosts[0].rule, keys.hosts[0]);
        let anything = reaching(Reach::Anything);
        let made = network(&anything, params(&keys), None).unwrap();
        let names: Vec<&str> = made.environment().map(|(name, _)| name).collect();
        assert!(names.contains(&"AWS_SECRET_ACCESS_KEY"), "{names:?}");
        let wrong = AwsKeys {
            services: vec!["S3!".into()],
            ..keys
        };
        let (kind, why) = refused(network(&anything, params(&wrong), None));
        assert_eq!(kind, Kind::InvalidParams);
        assert!(why.contains("name services and regions"), "{why}");
    }

    #[test]
    fn a_rule_shows_a_certificate_or_takes_any() {
        let tls = rule(any_certificate("https://api.test")).unwrap().tls;
        assert!(tls.insecure && tls.roots.is_none() && tls.client_cert.is_none());
        let tls = rule(shown("api.test", CHAIN, KEY)).unwrap().tls;
        let client = tls.client_cert.unwrap();
        assert_eq!(
            (client.chain, client.key.as_slice()),
            (vec![vec![1, 2, 3]], &[4, 5, 6][..])
        );
        assert!(!tls.insecure);
    }

    #[test]
    fn a_rule_that_contradicts_itself_is_refused_with_the_reason() {
        let insecure = |wanted: HostRule| HostRule {
            insecure: Some(true),
            ..wanted
        };
        let trusting = HostRule {
            authorities: Some(CHAIN.into()),
            ..any_certificate("api.test")
        };
        for (wanted, expected) in [
            (trusting, "`authorities`"),
            (insecure(shown("api.test", CHAIN, KEY)), "`clientCert`"),
            (any_certificate("http://api.test"), "there is no TLS"),
            (any_certificate("tcp://api.test:1"), "there is no TLS"),
            (shown("http://api.test", CHAIN, KEY), "there is no TLS"),
            (shown("api.test", "", KEY), "there is no certificate"),
            (
                shown("api.test", CHAIN, "sk-canary"),
                "`clientCert` of the rule `api.test`",
            ),
        ] {
            let (kind, why) = refused(rule(wanted));
            assert_eq!(kind, Kind::InvalidParams);
            assert!(why.contains(expected), "{why}");
            assert!(!why.contains("canary"), "{why}");
        }
        // A word for what is so anyway contradicts nothing.
        let checked = HostRule {
            insecure: Some(false),
            ..shown("http://api.test", CHAIN, KEY)
        };
        assert!(
            rule(HostRule {
                client_cert: None,
                ..checked
            })
            .is_ok()
        );
    }

    #[test]
    fn a_ceiling_checks_certificates_and_names_directories() {
        let ceiling = beneath(&["api.test"]);
        let (kind, why) = refused(network(
            &ceiling,
            with_rule(any_certificate("api.test")),
            None,
        ));
        assert_eq!(kind, Kind::Denied);
        assert!(why.contains("`insecure` of the rule `api.test`"), "{why}");
        for rule in [
            shown("api.test", CHAIN, KEY),
            HostRule {
                insecure: Some(false),
                ..any_certificate("api.test")
            },
        ] {
            assert!(network(&ceiling, with_rule(rule), None).is_ok());
        }
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("cassette");
        let record = recorded(path.to_str().unwrap());
        let replay = NetworkParams {
            replay: record.record.clone(),
            record: None,
            ..record.clone()
        };
        let mut no_mounts = reaching(Reach::Anything);
        no_mounts.host_mounts = false;
        for options in [&ceiling, &no_mounts] {
            for (wanted, option) in [(&record, "`record`"), (&replay, "`replay`")] {
                let (kind, why) = refused(network(options, wanted.clone(), None));
                assert_eq!(kind, Kind::Denied);
                assert!(why.starts_with(option), "{why}");
                assert!(!why.contains("cassette"), "{why}");
            }
        }
        assert!(!path.exists(), "what is refused writes nothing");
    }

    #[test]
    fn a_recording_is_in_a_directory_of_the_host() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("cassette");
        let anything = reaching(Reach::Anything);
        let record = recorded(path.to_str().unwrap());
        let both = NetworkParams {
            replay: record.record.clone(),
            ..record.clone()
        };
        for (wanted, expected) in [
            (both, "`record` and `replay` are both given"),
            (recorded("cassette"), "`record`: `cassette` is not absolute"),
        ] {
            let (kind, why) = refused(network(&anything, wanted, None));
            assert_eq!((kind, why.as_str()), (Kind::InvalidParams, expected));
        }
        let (kind, why) = refused(without_cassette(&record));
        assert_eq!(kind, Kind::InvalidParams);
        assert!(
            why.starts_with("`record` is for a sandbox without a network"),
            "{why}"
        );
        assert!(!path.exists());
        assert!(!network(&anything, record, None).unwrap().is_replayed());
        assert!(path.join("exchanges.jsonl").exists());
    }

    #[test]
    fn a_replay_needs_no_values_of_secrets() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().to_str().unwrap();
        let secret = |value: &str| Secret {
            name: "KEY".into(),
            value: value.into(),
            hosts: vec!["api.test".into()],
            places: Some(vec![SecretPlace::Body]),
            redact: None,
        };
        let keys = AwsKeys {
            session_token: Some(String::new()),
            services: vec!["s3".into()],
            regions: vec!["eu-central-1".into()],
            hosts: vec!["api.test".into()],
            ..AwsKeys::default()
        };
        let with = |value: &str| NetworkParams {
            secrets: Some(vec![secret(value)]),
            ..recorded(path)
        };
        let anything = reaching(Reach::Anything);
        let value = "sk-canary-0123456789-0123456789";
        let made = network(&anything, with(value), None).unwrap();
        let placeholder = |of: &Network| {
            let mut found = of.environment();
            found.find(|(name, _)| *name == "KEY").unwrap().1.to_owned()
        };
        let recorded = placeholder(&made);
        drop(made);
        let replay = NetworkParams {
            record: None,
            replay: Some(path.into()),
            aws: Some(keys.clone()),
            ..with("")
        };
        let replayed = network(&anything, replay, None).unwrap();
        assert!(replayed.is_replayed());
        assert_eq!(placeholder(&replayed), recorded);
        // A secret that is sent has to have one.
        let empty = [
            NetworkParams {
                record: None,
                ..with("")
            },
            NetworkParams {
                record: None,
                secrets: None,
                aws: Some(keys),
                ..with("")
            },
        ];
        for wanted in empty {
            assert_eq!(
                refused(network(&anything, wanted, None)).0,
                Kind::InvalidParams
            );
        }
    }
}
