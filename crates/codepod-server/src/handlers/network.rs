//! What a sandbox may reach, within what the server allows.

use codepod::network::{
    Mode, Network, NetworkSpec, Places, PolicySpec, RuleSpec, SecretSpec, TlsSpec, certificates,
};
use codepod_api::methods::Done;
use codepod_api::methods::network::{
    Access, CheckParams, HostRule, NetworkCheck, NetworkParams, NetworkSet, NetworkUsage, Secret,
    SecretPlace,
};
use codepod_api::{ApiError, Kind};

use crate::call::Call;
use crate::dispatch::Handle;
use crate::failure::failure;
use crate::server::Reach;

impl Handle for NetworkCheck {
    fn handle(call: &Call<'_>, params: CheckParams) -> Result<Access, ApiError> {
        let method = params.method.as_deref().unwrap_or("GET");
        let access = call.live()?.sandbox.check_access(&params.url, method);
        Ok(Access {
            allowed: access.allowed,
            rule: access.rule,
            reason: access.reason,
            ask: access.ask,
        })
    }
}

impl Handle for NetworkSet {
    fn handle(call: &Call<'_>, params: NetworkParams) -> Result<Done, ApiError> {
        let network = network(call, params)?;
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

/// The network that a client wants, within what the server allows.
pub(crate) fn network(call: &Call<'_>, params: NetworkParams) -> Result<Network, ApiError> {
    let made = match &call.server.options().reach {
        Reach::Nothing => {
            let error = ApiError::new(Kind::Denied, "this server gives sandboxes no network");
            return Err(error.hint(
                "start it so that it does: `codepod rpc --network`, or `[network]` in the configuration of `codepod serve`",
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
        };
    }
    spec.redact = secret.redact.unwrap_or(true);
    spec
}
