//! What a sandbox may reach, within what the server allows.

mod wanted;

use std::sync::Arc;

use codepod::Event;
use codepod::network::{Answer, Ask, Network, OnRequest};
use codepod_api::methods::network::{
    CheckParams, NetworkAccess, NetworkCheck, NetworkEntry, NetworkLog, NetworkLogOutput,
    NetworkOutcome, NetworkParams, NetworkSet, NetworkSetParams, NetworkUsage,
};
use codepod_api::methods::{Done, Empty};
use codepod_api::notifications::{Decision, HeaderField, NetworkReply, NetworkRequest};
use codepod_api::{ApiError, Bytes, Kind};

use crate::call::Call;
use crate::convert::text;
use crate::dispatch::Handle;
use crate::failure::failure;

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
        let sandbox = &call.live()?.sandbox;
        // Making a network begins its recording, in place of the one that the sandbox may write.
        if sandbox.network_usage().is_some() {
            wanted::without_cassette(&params.network)?;
        }
        let network = network(call, params.network)?;
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
        insecure: false,
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
            insecure,
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
            insecure,
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
    wanted::network(call.server.options(), params, asks)
}

/// Has the client decide about each request, by the word that it has given.
fn on_request(call: &Call<'_>, ask: String) -> Result<OnRequest, ApiError> {
    let answers = call.client.answers().ok_or_else(|| {
        ApiError::new(
            Kind::InvalidParams,
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
