//! The network of a sandbox: what it may reach, and what it has used.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Done, Empty, FEW_TOOLS, HOSTS_DECISION, ONE_COMMAND};
use crate::method::method;

method! {
    /// Says whether a program in the sandbox may use a URL now, and if not, why and what would
    /// allow it. Nothing is sent, counted or reported.
    NetworkCheck = "network.check", sandbox get "/v1/sandboxes/{sandbox}/network/check", CheckParams => NetworkAccess,
    not_on [Mcp: FEW_TOOLS, Cli: ONE_COMMAND];

    /// Sets what a sandbox may reach, and its secrets. What is under way ends as it was allowed;
    /// the next request of an open connection is decided anew. What was used stays counted.
    NetworkSet = "network.set", sandbox put "/v1/sandboxes/{sandbox}/network", NetworkSetParams => Done,
    not_on [Mcp: HOSTS_DECISION, Cli: ONE_COMMAND];

    /// Lists what the sandbox and its forks asked of the network lately, what became of it and why:
    /// the last 256 of it, of which the oldest comes first.
    NetworkLog = "network.log", sandbox get "/v1/sandboxes/{sandbox}/network/log", Empty => NetworkLogOutput,
    not_on [Mcp: FEW_TOOLS, Cli: "`--events` writes it to a file"];
}

/// What a sandbox may reach, within what the server allows. Without a list it is nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[schemars(rename = "Network")]
pub struct NetworkParams {
    /// Rules for what may be reached: `api.example.com`, `*.example.com`, `https://example.com/v1`,
    /// `tcp://db.example.com:5432`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_hosts: Option<Vec<String>>,
    /// Rules with more to say, after those of `allowedHosts`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rules: Option<Vec<HostRule>>,
    /// Rules for what may not be reached, where everything else that is public may, by https and
    /// http on their usual ports. Not beside `allowedHosts` or `rules`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocked_hosts: Option<Vec<String>>,
    /// Addresses of hosts by name, `IP` or `IP:PORT`, which are reached even if they are not
    /// public. The name needs a rule all the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hosts: Option<BTreeMap<String, String>>,
    /// Whether what no rule allows is let through over https and http, and only reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report_only: Option<bool>,
    /// What programs can use and not read. In the environment there is a placeholder for each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secrets: Option<Vec<Secret>>,
    /// The keys of an AWS account. Programs sign with others, which are worth nothing, and what may
    /// be signed is signed anew outside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aws: Option<AwsKeys>,
    /// A directory of the host into which everything is recorded that happens on the network, in
    /// place of an earlier recording. Only where the client has started the server itself, and as
    /// the sandbox gets its network: what is set later does not change what is recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<String>,
    /// A directory of the host with such a recording, which takes the place of every server. What
    /// was not recorded is denied, and values of secrets may be empty. Given where and as `record`
    /// is, and not beside it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replay: Option<String>,
    /// A word by which the client is asked about each request that everything else allows: by a
    /// request `network.request` that names it, on the same connection. What is not answered within
    /// 30 seconds is denied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ask: Option<String>,
    /// Requests that may be made; 10,000 if not given. Forks count with their parent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests: Option<u64>,
    /// Bytes that may be received; 1 GiB if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes_in: Option<u64>,
    /// Bytes that may be sent; 100 MiB if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes_out: Option<u64>,
    /// Connections at a time; 32 if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connections: Option<u64>,
}

/// A rule that says more than where.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HostRule {
    /// Where, as in `allowedHosts`.
    pub rule: String,
    /// The methods; all but CONNECT and TRACE if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub methods: Option<Vec<String>>,
    /// Whether addresses that are not public may be reached; they may not if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub private: Option<bool>,
    /// Certificate authorities in PEM, which are trusted here in place of the usual ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authorities: Option<String>,
    /// Whether any certificate of the server is taken; events say so, and no secret goes there. Not
    /// beside `authorities` or `clientCert`, and not where the server of sandboxes decides what
    /// they may reach.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub insecure: Option<bool>,
    /// What the server is shown in place of what a program inside has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_cert: Option<ClientCert>,
}

/// A certificate for clients, and its key, which no program inside sees.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ClientCert {
    /// The certificates in PEM, its own first.
    pub chain: String,
    /// The key in PEM. It is in no answer, log or saved state.
    #[schemars(extend("writeOnly" = true))]
    pub key: String,
}

impl std::fmt::Debug for ClientCert {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ClientCert(…)")
    }
}

/// What programs can use and not read.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Secret {
    /// The variable that holds its placeholder.
    pub name: String,
    /// Its value: 8 bytes to 8 KiB of visible ASCII; it may be empty in a replay. It is in no
    /// answer, log or saved state.
    #[schemars(extend("writeOnly" = true))]
    pub value: String,
    /// Rules for the hosts that it is sent to, over https.
    pub hosts: Vec<String>,
    /// Where it is put in; `header`, `basic` and `query` if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub places: Option<Vec<SecretPlace>>,
    /// Whether replies of its hosts are searched for its value; they are if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redact: Option<bool>,
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Secret")
            .field("name", &self.name)
            .field("hosts", &self.hosts)
            .finish_non_exhaustive()
    }
}

/// The keys of an AWS account, and what may be signed with them.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AwsKeys {
    /// The id of the key; it may be empty in a replay, like the other two.
    #[schemars(extend("writeOnly" = true))]
    pub access_key_id: String,
    /// The secret key. It is in no answer, log or saved state.
    #[schemars(extend("writeOnly" = true))]
    pub secret: String,
    /// The token of a session, which goes to the hosts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("writeOnly" = true))]
    pub session_token: Option<String>,
    /// The services, by the names that signatures have: `s3`, `dynamodb`.
    pub services: Vec<String>,
    /// The regions: `eu-central-1`.
    pub regions: Vec<String>,
    /// Rules for https: where what is signed may go. Their paths count.
    pub hosts: Vec<String>,
}

impl std::fmt::Debug for AwsKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AwsKeys")
            .field("services", &self.services)
            .field("regions", &self.regions)
            .field("hosts", &self.hosts)
            .finish_non_exhaustive()
    }
}

/// Where a secret is put in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SecretPlace {
    /// Values of header fields.
    Header,
    /// User and password of basic authentication.
    Basic,
    /// The query of the URL.
    Query,
    /// The body.
    Body,
    /// Messages of WebSockets that are sent.
    Websocket,
}

/// What a sandbox may reach from now on.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NetworkSetParams {
    /// All of it: what it was before does not count any more.
    pub network: NetworkParams,
}

/// What to look up.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CheckParams {
    /// The URL.
    pub url: String,
    /// The method; `GET` if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
}

/// Whether something may be reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NetworkAccess {
    /// Whether it may.
    pub allowed: bool,
    /// The rule that allows it, or denies it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Why it is denied, in the words that the program is told; or would be, if it is only
    /// reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What would allow it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask: Option<String>,
}

/// What a sandbox and its forks have used of the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NetworkUsage {
    /// Requests; a connection that is no HTTP counts as one.
    pub requests: u64,
    /// Bytes received.
    pub bytes_in: u64,
    /// Bytes sent.
    pub bytes_out: u64,
    /// Connections that are open.
    pub connections: u64,
}

/// What was asked of the network lately.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NetworkLogOutput {
    /// Each request and each denial.
    pub entries: Vec<NetworkEntry>,
}

/// A request that has ended, or something that was denied.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NetworkEntry {
    /// The sandbox, or its fork; none if it is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sandbox_id: Option<String>,
    /// The run that it belongs to; 0 for a program that no script has started.
    pub run: u64,
    /// The program.
    pub command: String,
    /// What became of it.
    pub outcome: NetworkOutcome,
    /// The method, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// The URL, without a user and with the names of its query only.
    pub url: String,
    /// The rule that decided, if one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Why it was denied or failed, in the words that the program was told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The status of the reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u64>,
    /// Bytes of the reply.
    pub bytes_in: u64,
    /// Bytes of the request.
    pub bytes_out: u64,
    /// How long it took, in milliseconds.
    pub total_ms: f64,
    /// Whether any certificate of the server was taken, as a rule with `insecure` has it.
    pub insecure: bool,
    /// The names of the secrets that were put in, or were stopped.
    pub secrets: Vec<String>,
}

/// What became of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum NetworkOutcome {
    /// It was allowed, and has ended.
    Done,
    /// It was allowed, and failed.
    Failed,
    /// It was denied.
    Denied,
    /// It carried the placeholder of a secret to a stranger, and was denied.
    Leak,
}
