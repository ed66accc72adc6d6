//! What a sandbox may reach, within what the server allows.

use std::sync::Arc;

use codepod::Event;
use codepod::network::{
    Answer, Ask, Mode, Network, NetworkSpec, OnRequest, Places, PolicySpec, RuleSpec, SecretSpec,
    TlsSpec, certificates,
};
use codepod_api::methods::network::{
    CheckParams, HostRule, NetworkAccess, NetworkCheck, NetworkEntry, NetworkLog, NetworkLogOutput,
    NetworkOutcome, NetworkParams, NetworkSet, NetworkSetParams, NetworkUsage, Secret, SecretPlace,
};
use codepod_api::methods::{Done, Empty};
use codepod_api::notifications::{Decision, HeaderField, NetworkReply, NetworkRequest};
use codepod_api::{ApiError, Bytes, Kind};

use crate::call::Call;
use crate::convert::text;
use crate::dispatch::Handle;
use crate::failure::failure;
use crate::server::Reach;

impl Handle for NetworkCheck {
    fn handle(call: &Call<'_>, params: CheckParams) -> Result<NetworkAccess, ApiError> {
        let method = params.method.as_deref().unwrap_or("GET");
        let access = call.live()?.sandbox.check_access(&params.url, method);
        Ok(NetworkAccess {
            allowed: access.allowed,
            rule: access.rule,
            reason: access.reason,
            ask: access.ask,
        })
    }
}

impl Handle for NetworkSet {
    fn handle(call: &Call<'_>, params: NetworkSetParams) -> Result<Done, ApiError> {
        let network = network(call, params.network)?;
        let sandbox = &call.live()?.sandbox;
        sandbox.set_network(&network).map_err(failure)?;
        Ok(Done::OK)
    }
}

/// What a sandbox has used.
pub(crate) fn usage(usage: codepod::network::Usage) -> NetworkUsage {
    NetworkUsage {
        requests: usage.requests,
        bytes_in: usage.bytes_in,
        bytes_out: usage.bytes_out,
        connections: usage.connections,
    }
}

impl Handle for NetworkLog {
    fn handle(call: &Call<'_>, Empty {}: Empty) -> Result<NetworkLogOutput, ApiError> {
        let events = call.live()?.sandbox.network_log();
        let entries = events.into_iter().filter_map(|event| entry(call, event));
        Ok(NetworkLogOutput {
            entries: entries.collect(),
        })
    }
}

fn entry(call: &Call<'_>, event: Event) -> Option<NetworkEntry> {
    let nothing = NetworkEntry {
        sandbox_id: None,
        run: 0,
        command: String::new(),
        outcome: NetworkOutcome::Denied,
        method: None,
        url: String::new(),
        rule: None,
        reason: None,
        status: None,
        bytes_in: 0,
        bytes_out: 0,
        total_ms: 0.0,
        secrets: Vec::new(),
    };
    Some(match event {
        Event::NetworkRequest {
            sandbox,
            run,
            command,
            method,
            url,
            rule,
            status,
            failure,
            bytes_in,
            bytes_out,
            total_ms,
            secrets,
            ..
        } => NetworkEntry {
            sandbox_id: call.server.id_of(sandbox),
            run,
            command,
            outcome: match failure {
                None => NetworkOutcome::Done,
                Some(_) => NetworkOutcome::Failed,
            },
            method,
            url,
            rule,
            reason: failure,
            status: status.map(u64::from),
            bytes_in,
            bytes_out,
            total_ms,
            secrets,
        },
        Event::NetworkDenied {
            sandbox,
            run,
            command,
            rule,
            method,
            url,
            reason,
            ..
        } => NetworkEntry {
            sandbox_id: call.server.id_of(sandbox),
            run,
            command,
            method,
            url,
            rule,
            reason: Some(reason),
            ..nothing
        },
        Event::SecretLeak {
            sandbox,
            run,
            command,
            secret,
            host,
            ..
        } => NetworkEntry {
            sandbox_id: call.server.id_of(sandbox),
            run,
            command,
            outcome: NetworkOutcome::Leak,
            url: host,
            secrets: vec![secret],
            ..nothing
        },
        _ => return None,
    })
}

/// The network that a client wants, within what the server allows.
pub(crate) fn network(call: &Call<'_>, params: NetworkParams) -> Result<Network, ApiError> {
    let asks = params
        .ask
        .clone()
        .map(|ask| on_request(call, ask))
        .transpose()?;
    let spec = |params| {
        let mut spec = spec(params)?;
        spec.on_request = asks;
        Ok::<_, ApiError>(spec)
    };
    let made = match &call.server.options().reach {
        Reach::Nothing => {
            let error = ApiError::new(Kind::Denied, "this server gives sandboxes no network");
            return Err(error.hint(
                "start it so that it does: `Client(network=True)` in Python, `new Client({ network: true })` in TypeScript, `codepod rpc --network`, or `[network]` in the configuration of `codepod serve`",
            ));
        }
        Reach::Anything => Network::new(spec(params)?),
        Reach::Within(ceiling) => {
            if params.hosts.is_some() {
                let error = ApiError::new(Kind::Denied, "addresses of `hosts` are this server's");
                return Err(error.hint("leave out `hosts`"));
            }
            Network::beneath(ceiling, spec(params)?)
        }
    };
    made.map_err(failure)
}

fn spec(params: NetworkParams) -> Result<NetworkSpec, ApiError> {
    let NetworkParams {
        allowed_hosts,
        rules,
        blocked_hosts,
        hosts,
        report_only,
        secrets,
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
    let wrong = |why: String| {
        let message = format!("`authorities` of the rule `{}`: {why}", rule.rule);
        ApiError::new(Kind::InvalidParams, message).hint("give certificates in PEM")
    };
    let roots = rule.authorities.as_ref().map(|pem| {
        match certificates(pem.as_bytes()) {
            Ok(found) if found.is_empty() => Err("there is no certificate".to_owned()),
            found => found,
        }
        .map_err(wrong)
    });
    Ok(RuleSpec {
        tls: TlsSpec {
            roots: roots.transpose()?,
            ..TlsSpec::default()
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
            websocket: false,
        };
    }
    spec.redact = secret.redact.unwrap_or(true);
    spec
}

/// Has the client decide about each request, by the word that it has given.
fn on_request(call: &Call<'_>, ask: String) -> Result<OnRequest, ApiError> {
    let answers = call.client.answers().ok_or_else(|| {
        ApiError::new(
            Kind::Unsupported,
            "nobody could be asked on this connection",
        )
        .hint("leave out `ask`; clients of `codepod rpc` can be asked")
    })?;
    let server = call.server.weak();
    Ok(Arc::new(move |asked| {
        let sandbox = server
            .upgrade()
            .and_then(|server| server.id_of(asked.origin.sandbox));
        let request = question(&ask, sandbox.unwrap_or_default(), asked);
        let answer = answers.decide(request);
        Box::pin(async move {
            match answer.await {
                Ok(reply) => decided(reply),
                Err(why) => Answer::Deny(why),
            }
        })
    }))
}

fn question(ask: &str, sandbox_id: String, asked: Ask) -> NetworkRequest {
    let header = |(name, value): (String, Vec<u8>)| HeaderField {
        name,
        value: text(&value),
    };
    NetworkRequest {
        ask: ask.to_owned(),
        sandbox_id,
        run: asked.origin.run,
        command: asked.origin.command.to_string(),
        id: asked.id,
        method: asked.method,
        url: asked.url,
        host: asked.host,
        port: asked.port.into(),
        headers: asked.headers.into_iter().map(header).collect(),
        body_bytes: asked.body_bytes,
    }
}

/// The client's decision. What cannot be read denies.
fn decided(reply: NetworkReply) -> Answer {
    let NetworkReply {
        decision,
        reason,
        status,
        headers,
        body,
        body_base64,
    } = reply;
    match decision {
        Decision::Allow => Answer::Allow,
        Decision::Deny => Answer::Deny(reason.unwrap_or_else(|| "the host denies it".into())),
        Decision::Respond => {
            let status = u16::try_from(status.unwrap_or(200)).ok();
            match (status, Bytes::take(body, body_base64)) {
                (Some(status @ 200..=599), Ok(body)) => Answer::Respond {
                    status,
                    headers: headers
                        .unwrap_or_default()
                        .into_iter()
                        .map(|field| (field.name, field.value))
                        .collect(),
                    body: body.unwrap_or_default(),
                },
                _ => Answer::Deny("the host's answer cannot be sent".into()),
            }
        }
    }
}
