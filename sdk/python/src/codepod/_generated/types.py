# Made by `cargo xtask generate` from crates/codepod-api. Changes here are lost.
"""What methods take and give back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Dict, List, Literal, Mapping, Optional, TypedDict

from .._result import ResultMethods
from .._wire import from_base64, get_bytes, put_bytes, to_base64

if TYPE_CHECKING:
    from typing_extensions import Self

# Limits that go together.
Profile = Literal[
    "small",  # 100 MB of files, 10,000 of them.
    "default",  # 256 MB of files, 100,000 of them.
    "large",  # For builds and data.
]

# What a sandbox may do with a host directory.
Access = Literal[
    "ro",  # Only read.
    "rw",  # Read and write, on the host itself.
    "overlay",  # Read, and write inside only, until the changes are applied.
]

# Which paths of a host directory a sandbox may not change, because programs of the host run or obey them.
Guard = Literal[
    "usual",  # Git's hooks and settings, what editors, agents and shells read when they start, links that lead out.
    "none",  # None.
]

# Where a secret is put in.
SecretPlace = Literal[
    "header",  # Values of header fields.
    "basic",  # User and password of basic authentication.
    "query",  # The query of the URL.
    "body",  # The body.
    "websocket",  # Messages of WebSockets that are sent.
]

# How a state is kept.
PersistenceMode = Literal[
    "ephemeral",  # It ends with the sandbox and cannot be saved.
    "exportable",  # It ends with the sandbox, unless it is exported.
    "persistent",  # It is loaded when the sandbox is made, and saved by itself.
]

# What happened to a path.
ChangeKind = Literal[
    "added",  # It is new.
    "modified",  # It holds something else, or is something else.
    "mode",  # Only its mode or its owner changed.
    "removed",  # It is gone.
]

# What a path is.
FileKind = Literal[
    "file",  # A file.
    "directory",  # A directory.
    "symlink",  # A symbolic link.
    "other",  # A pipe, a device or a socket.
]

# What a step was.
StepKind = Literal[
    "run",  # A script, a command or Python code.
    "files",  # A method that changed files.
    "state",  # A fork that was adopted or merged.
]

# What becomes of files that both the sandbox and the host have changed.
Resolve = Literal[
    "merge",  # Texts are merged by lines; where that cannot be done the change is refused.
    "ours",  # As `merge`, but in a conflict the host's lines or file stay; the sandbox's are lost.
    "theirs",  # As `merge`, but in a conflict the sandbox's are taken; the host's are lost.
    "force",  # The sandbox's files and repositories of git are taken whole; what the host has done to them since is lost.
]

# What became of a request.
NetworkOutcome = Literal[
    "done",  # It was allowed, and has ended.
    "failed",  # It was allowed, and failed.
    "denied",  # It was denied.
    "leak",  # It carried the placeholder of a secret to a stranger, and was denied.
]

# What a process is doing.
JobState = Literal[
    "running",  # It runs or could.
    "waiting",  # It waits for something.
    "stopped",  # It was stopped.
    "ended",  # It has ended, and its status has not been collected.
]

# Which stream output is from.
OutputStream = Literal[
    "stdout",  # Standard output.
    "stderr",  # Standard error.
]

# What becomes of a request.
Decision = Literal[
    "allow",  # It goes on.
    "deny",  # It is denied.
    "respond",  # It is answered by the client.
]

# What went wrong.
ErrorKind = Literal[
    "parse_error",  # The frame or body is not JSON.
    "invalid_request",  # The JSON is not a request.
    "method_not_found",  # There is no such method.
    "invalid_params",  # A parameter is missing, unknown or of the wrong type, or its value makes no sense.
    "internal",  # A fault in codepod itself.
    "not_found",  # There is no such sandbox, snapshot, preview, run or shell, or it belongs to another tenant.
    "busy",  # Running processes prevent the operation.
    "changed",  # The state that the operation started from has changed.
    "file",  # A file operation failed; `errno` says how.
    "spawn",  # A program could not be started; `errno` says why.
    "mount",  # A host directory cannot be mounted.
    "no_such_run",  # Fewer runs are kept than were asked for.
    "foreign",  # The snapshot or fork is of another sandbox.
    "partly_applied",  # Some changes are on the host, and one was refused because the host changed it meanwhile.
    "process",  # A process cannot be signalled; `errno` says why.
    "shell_state",  # A shell cannot go on from its state.
    "state",  # A state cannot be saved or loaded.
    "not_persistent",  # The sandbox's persistence does not allow that.
    "limit",  # A limit or a quota is reached.
    "denied",  # The policy of the server does not allow it.
    "unauthorized",  # There is no valid key.
    "too_large",  # The request or its answer is too large.
    "unavailable",  # The machine lacks something that codepod needs.
    "unsupported",  # This surface cannot do that.
    "no_server",  # Nothing in the sandbox answers at that port.
]


@dataclass(frozen=True)
class ServerInfoOutput:
    """What a server is."""

    version: str
    """Version of codepod."""

    protocol: int
    """Version of these methods: a number that grows when one changes incompatibly."""

    methods: List[str]
    """The names of all methods of this surface."""

    layers: List[str]
    """What stands between the server's process and its host, beside the sandboxes themselves: `seccomp`, `no-new-code` and
    `landlock`, as far as they hold. Nothing where it has not locked itself in.
    """

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            version=wire["version"],
            protocol=wire["protocol"],
            methods=wire["methods"],
            layers=wire["layers"],
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["version"] = self.version
        wire["protocol"] = self.protocol
        wire["methods"] = list(self.methods)
        wire["layers"] = list(self.layers)
        return wire


@dataclass(frozen=True)
class Mount:
    """A host directory in a sandbox."""

    host: str
    """The directory of the host."""

    at: str
    """Where it is in the sandbox; absolute."""

    access: Optional[Access] = None
    """What the sandbox may do with it; read-only if not given."""

    guard: Optional[Guard] = None
    """Which of its paths are guarded; the usual ones if not given."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            host=wire["host"],
            at=wire["at"],
            access=wire.get("access"),
            guard=wire.get("guard"),
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["host"] = self.host
        wire["at"] = self.at
        if self.access is not None:
            wire["access"] = self.access
        if self.guard is not None:
            wire["guard"] = self.guard
        return wire


@dataclass(frozen=True)
class Network:
    """What a sandbox may reach, within what the server allows. Without a list it is nothing."""

    allowed_hosts: Optional[List[str]] = None
    """Rules for what may be reached: `api.example.com`, `*.example.com`, `https://example.com/v1`,
    `tcp://db.example.com:5432`.
    """

    rules: Optional[List[HostRule]] = None
    """Rules with more to say, after those of `allowedHosts`."""

    blocked_hosts: Optional[List[str]] = None
    """Rules for what may not be reached, where everything else that is public may, by https and http on their usual ports.
    Not beside `allowedHosts` or `rules`.
    """

    hosts: Optional[Dict[str, str]] = None
    """Addresses of hosts by name, `IP` or `IP:PORT`, which are reached even if they are not public. The name needs a rule
    all the same.
    """

    report_only: Optional[bool] = None
    """Whether what no rule allows is let through over https and http, and only reported."""

    secrets: Optional[List[Secret]] = None
    """What programs can use and not read. In the environment there is a placeholder for each."""

    aws: Optional[AwsKeys] = None
    """The keys of an AWS account. Programs sign with others, which are worth nothing, and what may be signed is signed
    anew outside.
    """

    record: Optional[str] = None
    """A directory of the host into which everything is recorded that happens on the network, in place of an earlier
    recording. Only where the client has started the server itself, and as the sandbox gets its network: what is set
    later does not change what is recorded.
    """

    replay: Optional[str] = None
    """A directory of the host with such a recording, which takes the place of every server. What was not recorded is
    denied, and values of secrets may be empty. Given where and as `record` is, and not beside it.
    """

    ask: Optional[str] = None
    """A word by which the client is asked about each request that everything else allows: by a request `network.request`
    that names it, on the same connection. What is not answered within 30 seconds is denied.
    """

    requests: Optional[int] = None
    """Requests that may be made; 10,000 if not given. Forks count with their parent."""

    bytes_in: Optional[int] = None
    """Bytes that may be received; 1 GiB if not given."""

    bytes_out: Optional[int] = None
    """Bytes that may be sent; 100 MiB if not given."""

    connections: Optional[int] = None
    """Connections at a time; 32 if not given."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            allowed_hosts=wire.get("allowedHosts"),
            rules=[HostRule.from_wire(item) for item in wire["rules"]] if wire.get("rules") is not None else None,
            blocked_hosts=wire.get("blockedHosts"),
            hosts=wire.get("hosts"),
            report_only=wire.get("reportOnly"),
            secrets=[Secret.from_wire(item) for item in wire["secrets"]] if wire.get("secrets") is not None else None,
            aws=AwsKeys.from_wire(wire["aws"]) if wire.get("aws") is not None else None,
            record=wire.get("record"),
            replay=wire.get("replay"),
            ask=wire.get("ask"),
            requests=wire.get("requests"),
            bytes_in=wire.get("bytesIn"),
            bytes_out=wire.get("bytesOut"),
            connections=wire.get("connections"),
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        if self.allowed_hosts is not None:
            wire["allowedHosts"] = list(self.allowed_hosts)
        if self.rules is not None:
            wire["rules"] = [item.to_wire() for item in self.rules]
        if self.blocked_hosts is not None:
            wire["blockedHosts"] = list(self.blocked_hosts)
        if self.hosts is not None:
            wire["hosts"] = dict(self.hosts)
        if self.report_only is not None:
            wire["reportOnly"] = self.report_only
        if self.secrets is not None:
            wire["secrets"] = [item.to_wire() for item in self.secrets]
        if self.aws is not None:
            wire["aws"] = self.aws.to_wire()
        if self.record is not None:
            wire["record"] = self.record
        if self.replay is not None:
            wire["replay"] = self.replay
        if self.ask is not None:
            wire["ask"] = self.ask
        if self.requests is not None:
            wire["requests"] = self.requests
        if self.bytes_in is not None:
            wire["bytesIn"] = self.bytes_in
        if self.bytes_out is not None:
            wire["bytesOut"] = self.bytes_out
        if self.connections is not None:
            wire["connections"] = self.connections
        return wire


@dataclass(frozen=True)
class HostRule:
    """A rule that says more than where."""

    rule: str
    """Where, as in `allowedHosts`."""

    methods: Optional[List[str]] = None
    """The methods; all but CONNECT and TRACE if not given."""

    private: Optional[bool] = None
    """Whether addresses that are not public may be reached; they may not if not given."""

    authorities: Optional[str] = None
    """Certificate authorities in PEM, which are trusted here in place of the usual ones."""

    insecure: Optional[bool] = None
    """Whether any certificate of the server is taken; events say so, and no secret goes there. Not beside `authorities` or
    `clientCert`, and not where the server of sandboxes decides what they may reach.
    """

    client_cert: Optional[ClientCert] = None
    """What the server is shown in place of what a program inside has."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            rule=wire["rule"],
            methods=wire.get("methods"),
            private=wire.get("private"),
            authorities=wire.get("authorities"),
            insecure=wire.get("insecure"),
            client_cert=ClientCert.from_wire(wire["clientCert"]) if wire.get("clientCert") is not None else None,
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["rule"] = self.rule
        if self.methods is not None:
            wire["methods"] = list(self.methods)
        if self.private is not None:
            wire["private"] = self.private
        if self.authorities is not None:
            wire["authorities"] = self.authorities
        if self.insecure is not None:
            wire["insecure"] = self.insecure
        if self.client_cert is not None:
            wire["clientCert"] = self.client_cert.to_wire()
        return wire


@dataclass(frozen=True)
class ClientCert:
    """A certificate for clients, and its key, which no program inside sees."""

    chain: str
    """The certificates in PEM, its own first."""

    key: str = field(repr=False)
    """The key in PEM. It is in no answer, log or saved state."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            chain=wire["chain"],
            key=wire["key"],
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["chain"] = self.chain
        wire["key"] = self.key
        return wire


@dataclass(frozen=True)
class Secret:
    """What programs can use and not read."""

    name: str
    """The variable that holds its placeholder."""

    value: str = field(repr=False)
    """Its value: 8 bytes to 8 KiB of visible ASCII; it may be empty in a replay. It is in no answer, log or saved state.
    """

    hosts: List[str]
    """Rules for the hosts that it is sent to, over https."""

    places: Optional[List[SecretPlace]] = None
    """Where it is put in; `header`, `basic` and `query` if not given."""

    redact: Optional[bool] = None
    """Whether replies of its hosts are searched for its value; they are if not given."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            name=wire["name"],
            value=wire["value"],
            hosts=wire["hosts"],
            places=wire.get("places"),
            redact=wire.get("redact"),
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["name"] = self.name
        wire["value"] = self.value
        wire["hosts"] = list(self.hosts)
        if self.places is not None:
            wire["places"] = list(self.places)
        if self.redact is not None:
            wire["redact"] = self.redact
        return wire


@dataclass(frozen=True)
class AwsKeys:
    """The keys of an AWS account, and what may be signed with them."""

    access_key_id: str = field(repr=False)
    """The id of the key; it may be empty in a replay, like the other two."""

    secret: str = field(repr=False)
    """The secret key. It is in no answer, log or saved state."""

    services: List[str]
    """The services, by the names that signatures have: `s3`, `dynamodb`."""

    regions: List[str]
    """The regions: `eu-central-1`."""

    hosts: List[str]
    """Rules for https: where what is signed may go. Their paths count."""

    session_token: Optional[str] = field(default=None, repr=False)
    """The token of a session, which goes to the hosts."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            access_key_id=wire["accessKeyId"],
            secret=wire["secret"],
            services=wire["services"],
            regions=wire["regions"],
            hosts=wire["hosts"],
            session_token=wire.get("sessionToken"),
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["accessKeyId"] = self.access_key_id
        wire["secret"] = self.secret
        wire["services"] = list(self.services)
        wire["regions"] = list(self.regions)
        wire["hosts"] = list(self.hosts)
        if self.session_token is not None:
            wire["sessionToken"] = self.session_token
        return wire


@dataclass(frozen=True)
class PersistenceParams:
    """Whether a state can leave its sandbox."""

    mode: PersistenceMode
    """How."""

    namespace: Optional[str] = None
    """Name of the state, if it is persistent; one sandbox at a time has it."""

    autosave_ms: Optional[int] = None
    """How long a change may wait until it is saved, in milliseconds, at least 250; 1,000 if not given."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            mode=wire["mode"],
            namespace=wire.get("namespace"),
            autosave_ms=wire.get("autosaveMs"),
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["mode"] = self.mode
        if self.namespace is not None:
            wire["namespace"] = self.namespace
        if self.autosave_ms is not None:
            wire["autosaveMs"] = self.autosave_ms
        return wire


@dataclass(frozen=True)
class SandboxInfo:
    """A sandbox."""

    sandbox_id: str
    """Its id, which cannot be guessed."""

    created_ms: int
    """When it was made, in milliseconds since 1970."""

    parent: Optional[str] = None
    """The sandbox that it was forked from."""

    namespace: Optional[str] = None
    """Name of its state, if it is kept."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            sandbox_id=wire["sandboxId"],
            created_ms=wire["createdMs"],
            parent=wire.get("parent"),
            namespace=wire.get("namespace"),
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["sandboxId"] = self.sandbox_id
        wire["createdMs"] = self.created_ms
        if self.parent is not None:
            wire["parent"] = self.parent
        if self.namespace is not None:
            wire["namespace"] = self.namespace
        return wire


@dataclass(frozen=True)
class SandboxListOutput:
    """The sandboxes that are alive."""

    sandboxes: List[SandboxInfo]
    """Each of them."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            sandboxes=[SandboxInfo.from_wire(item) for item in wire["sandboxes"]],
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["sandboxes"] = [item.to_wire() for item in self.sandboxes]
        return wire


@dataclass(frozen=True)
class MergeOutput:
    """What was merged."""

    taken: List[PathChange]
    """What was taken from the fork."""

    same: List[str]
    """Paths that both changed to the same."""

    conflicts: List[Conflict]
    """Paths that both changed differently: ours stayed."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            taken=[PathChange.from_wire(item) for item in wire["taken"]],
            same=wire["same"],
            conflicts=[Conflict.from_wire(item) for item in wire["conflicts"]],
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["taken"] = [item.to_wire() for item in self.taken]
        wire["same"] = list(self.same)
        wire["conflicts"] = [item.to_wire() for item in self.conflicts]
        return wire


@dataclass(frozen=True)
class PathChange:
    """A path that differs."""

    path: str
    """The path; what is not UTF-8 in it is replaced."""

    kind: ChangeKind
    """What happened to it."""

    before: Optional[Stat] = None
    """What it was."""

    after: Optional[Stat] = None
    """What it is."""

    inside: Optional[int] = None
    """How many changed paths are in it and are not listed: of `.git`."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            path=wire["path"],
            kind=wire["kind"],
            before=Stat.from_wire(wire["before"]) if wire.get("before") is not None else None,
            after=Stat.from_wire(wire["after"]) if wire.get("after") is not None else None,
            inside=wire.get("inside"),
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["path"] = self.path
        wire["kind"] = self.kind
        if self.before is not None:
            wire["before"] = self.before.to_wire()
        if self.after is not None:
            wire["after"] = self.after.to_wire()
        if self.inside is not None:
            wire["inside"] = self.inside
        return wire


@dataclass(frozen=True)
class Stat:
    """Facts of a path."""

    kind: FileKind
    """What it is."""

    size: int
    """Bytes."""

    mode: int
    """Mode bits: 0o644 is 420."""

    uid: int
    """Owner."""

    gid: int
    """Group."""

    mtime_ms: int
    """When it was changed last, in milliseconds since 1970."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            kind=wire["kind"],
            size=wire["size"],
            mode=wire["mode"],
            uid=wire["uid"],
            gid=wire["gid"],
            mtime_ms=wire["mtimeMs"],
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["kind"] = self.kind
        wire["size"] = self.size
        wire["mode"] = self.mode
        wire["uid"] = self.uid
        wire["gid"] = self.gid
        wire["mtimeMs"] = self.mtime_ms
        return wire


@dataclass(frozen=True)
class Conflict:
    """A path that two sandboxes changed differently."""

    path: str
    """The path."""

    ours: ChangeKind
    """What we did to it."""

    theirs: ChangeKind
    """What the fork did."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            path=wire["path"],
            ours=wire["ours"],
            theirs=wire["theirs"],
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["path"] = self.path
        wire["ours"] = self.ours
        wire["theirs"] = self.theirs
        return wire


@dataclass(frozen=True)
class StatsOutput:
    """What a sandbox uses."""

    bytes: int
    """Bytes of files beyond the base image."""

    nodes: int
    """Files and directories beyond the base image."""

    processes: int
    """Processes alive or not yet waited for."""

    open: int
    """Open files and pipes."""

    memory: int
    """Memory of its processes, in bytes."""

    runs: int
    """Runs that were begun."""

    usage: Usage
    """What its processes have used so far."""

    network: Optional[NetworkUsage] = None
    """What it and its forks have used of the network, if it has one."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            bytes=wire["bytes"],
            nodes=wire["nodes"],
            processes=wire["processes"],
            open=wire["open"],
            memory=wire["memory"],
            runs=wire["runs"],
            usage=Usage.from_wire(wire["usage"]),
            network=NetworkUsage.from_wire(wire["network"]) if wire.get("network") is not None else None,
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["bytes"] = self.bytes
        wire["nodes"] = self.nodes
        wire["processes"] = self.processes
        wire["open"] = self.open
        wire["memory"] = self.memory
        wire["runs"] = self.runs
        wire["usage"] = self.usage.to_wire()
        if self.network is not None:
            wire["network"] = self.network.to_wire()
        return wire


@dataclass(frozen=True)
class Usage:
    """What processes used."""

    processes: int
    """Processes that were started."""

    cpu_ms: float
    """How long their code ran, in milliseconds."""

    read: int
    """Bytes that they read."""

    written: int
    """Bytes that they wrote."""

    requests: int
    """Requests to hosts beyond the sandbox, and raw connections."""

    bytes_in: int
    """Bytes that came from there."""

    bytes_out: int
    """Bytes that went there."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            processes=wire["processes"],
            cpu_ms=wire["cpuMs"],
            read=wire["read"],
            written=wire["written"],
            requests=wire["requests"],
            bytes_in=wire["bytesIn"],
            bytes_out=wire["bytesOut"],
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["processes"] = self.processes
        wire["cpuMs"] = self.cpu_ms
        wire["read"] = self.read
        wire["written"] = self.written
        wire["requests"] = self.requests
        wire["bytesIn"] = self.bytes_in
        wire["bytesOut"] = self.bytes_out
        return wire


@dataclass(frozen=True)
class NetworkUsage:
    """What a sandbox and its forks have used of the network."""

    requests: int
    """Requests; a connection that is no HTTP counts as one."""

    bytes_in: int
    """Bytes received."""

    bytes_out: int
    """Bytes sent."""

    connections: int
    """Connections that are open."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            requests=wire["requests"],
            bytes_in=wire["bytesIn"],
            bytes_out=wire["bytesOut"],
            connections=wire["connections"],
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["requests"] = self.requests
        wire["bytesIn"] = self.bytes_in
        wire["bytesOut"] = self.bytes_out
        wire["connections"] = self.connections
        return wire


@dataclass(frozen=True)
class RunResult(ResultMethods):
    """What a command left behind."""

    run: int
    """Its number among the runs of the sandbox, from 1."""

    exit_code: int
    """Exit status: 128 plus the number for a signal, 124 after the timeout, 130 when it was cancelled, 126 and 127 as in a
    shell.
    """

    success: bool
    """Whether the status is 0."""

    stdout: str
    """What it printed; what is not UTF-8 is replaced. Where a part is missing, a line `[… bytes are not shown; all of it
    is in …]` stands in its place.
    """

    stderr: str
    """What it complained about, as `stdout`."""

    truncated: bool
    """Whether the end of the output is lost because a stream reached its limit."""

    timed_out: bool
    """Whether it was ended at its timeout."""

    cancelled: bool
    """Whether it was cancelled."""

    crashed: bool
    """Whether the shell itself failed: files and variables are as they were before."""

    execution_time_ms: float
    """How long it took, in milliseconds."""

    usage: Usage
    """What it used."""

    stdout_base64: Optional[str] = None
    """The bytes of `stdout` in base64, only where they are not UTF-8."""

    stderr_base64: Optional[str] = None
    """The bytes of `stderr` in base64, only where they are not UTF-8."""

    stdout_cut: Optional[Cut] = None
    """What is missing in `stdout`, because it was longer than its budget or reached its limit."""

    stderr_cut: Optional[Cut] = None
    """What is missing in `stderr`."""

    processes: List[ProcessFacts] = field(default_factory=list)
    """The processes that it started and that have ended, the last few hundred."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            run=wire["run"],
            exit_code=wire["exitCode"],
            success=wire["success"],
            stdout=wire["stdout"],
            stderr=wire["stderr"],
            truncated=wire["truncated"],
            timed_out=wire["timedOut"],
            cancelled=wire["cancelled"],
            crashed=wire["crashed"],
            execution_time_ms=wire["executionTimeMs"],
            usage=Usage.from_wire(wire["usage"]),
            stdout_base64=wire.get("stdoutBase64"),
            stderr_base64=wire.get("stderrBase64"),
            stdout_cut=Cut.from_wire(wire["stdoutCut"]) if wire.get("stdoutCut") is not None else None,
            stderr_cut=Cut.from_wire(wire["stderrCut"]) if wire.get("stderrCut") is not None else None,
            processes=[ProcessFacts.from_wire(item) for item in wire.get("processes", ())],
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["run"] = self.run
        wire["exitCode"] = self.exit_code
        wire["success"] = self.success
        wire["stdout"] = self.stdout
        wire["stderr"] = self.stderr
        wire["truncated"] = self.truncated
        wire["timedOut"] = self.timed_out
        wire["cancelled"] = self.cancelled
        wire["crashed"] = self.crashed
        wire["executionTimeMs"] = self.execution_time_ms
        wire["usage"] = self.usage.to_wire()
        if self.stdout_base64 is not None:
            wire["stdoutBase64"] = self.stdout_base64
        if self.stderr_base64 is not None:
            wire["stderrBase64"] = self.stderr_base64
        if self.stdout_cut is not None:
            wire["stdoutCut"] = self.stdout_cut.to_wire()
        if self.stderr_cut is not None:
            wire["stderrCut"] = self.stderr_cut.to_wire()
        wire["processes"] = [item.to_wire() for item in self.processes]
        return wire


@dataclass(frozen=True)
class Cut:
    """What is missing in a stream."""

    head: int
    """Where it is missing: so many bytes are before it."""

    mark: int
    """Bytes of the line that stands there and says so."""

    omitted: int
    """How many bytes are missing."""

    path: str
    """The file in the sandbox that holds all that was kept."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            head=wire["head"],
            mark=wire["mark"],
            omitted=wire["omitted"],
            path=wire["path"],
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["head"] = self.head
        wire["mark"] = self.mark
        wire["omitted"] = self.omitted
        wire["path"] = self.path
        return wire


@dataclass(frozen=True)
class ProcessFacts:
    """A process that has ended."""

    pid: int
    """Its number."""

    command: str
    """Its command line, the first 256 bytes."""

    exit_code: int
    """Its status."""

    time_ms: float
    """How long it was there, in milliseconds."""

    cpu_ms: float
    """How long its code ran, in milliseconds."""

    read: int
    """Bytes that it read."""

    written: int
    """Bytes that it wrote."""

    memory: int
    """The most memory that it had, in bytes."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            pid=wire["pid"],
            command=wire["command"],
            exit_code=wire["exitCode"],
            time_ms=wire["timeMs"],
            cpu_ms=wire["cpuMs"],
            read=wire["read"],
            written=wire["written"],
            memory=wire["memory"],
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["pid"] = self.pid
        wire["command"] = self.command
        wire["exitCode"] = self.exit_code
        wire["timeMs"] = self.time_ms
        wire["cpuMs"] = self.cpu_ms
        wire["read"] = self.read
        wire["written"] = self.written
        wire["memory"] = self.memory
        return wire


@dataclass(frozen=True)
class StartOutput:
    """What was started."""

    run_id: str
    """The run's name."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            run_id=wire["runId"],
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["runId"] = self.run_id
        return wire


@dataclass(frozen=True)
class SinceOutput:
    """What a background run printed, and whether it still runs."""

    running: bool
    """Whether it still runs."""

    stdout: str
    """What it printed; what is not UTF-8 is replaced."""

    stderr: str
    """What it complained about, as `stdout`."""

    next: int
    """Where to go on: the next call's `since`."""

    more: int
    """Bytes that follow and did not fit."""

    missed: int
    """Bytes before these that are not kept any more: the last MiB is."""

    timed_out: bool
    """Whether it was ended at its timeout."""

    cancelled: bool
    """Whether it was cancelled."""

    exit_code: Optional[int] = None
    """Its status, once it has ended; see `run`."""

    stdout_base64: Optional[str] = None
    """The bytes of `stdout` in base64, only where they are not UTF-8."""

    stderr_base64: Optional[str] = None
    """The bytes of `stderr` in base64, only where they are not UTF-8."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            running=wire["running"],
            stdout=wire["stdout"],
            stderr=wire["stderr"],
            next=wire["next"],
            more=wire["more"],
            missed=wire["missed"],
            timed_out=wire["timedOut"],
            cancelled=wire["cancelled"],
            exit_code=wire.get("exitCode"),
            stdout_base64=wire.get("stdoutBase64"),
            stderr_base64=wire.get("stderrBase64"),
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["running"] = self.running
        wire["stdout"] = self.stdout
        wire["stderr"] = self.stderr
        wire["next"] = self.next
        wire["more"] = self.more
        wire["missed"] = self.missed
        wire["timedOut"] = self.timed_out
        wire["cancelled"] = self.cancelled
        if self.exit_code is not None:
            wire["exitCode"] = self.exit_code
        if self.stdout_base64 is not None:
            wire["stdoutBase64"] = self.stdout_base64
        if self.stderr_base64 is not None:
            wire["stderrBase64"] = self.stderr_base64
        return wire


@dataclass(frozen=True)
class ReadOutput:
    """What a file holds: `text` or `base64`."""

    data: bytes
    """The bytes."""

    size: int
    """Bytes of the whole file."""

    mime: Optional[str] = None
    """What it is, if it begins as a picture does: `image/png`, `image/jpeg`, `image/gif`, `image/webp`."""

    next_line: Optional[int] = None
    """The line to go on with, where lines were asked for and more follow."""

    next_offset: Optional[int] = None
    """The byte to go on with, where lines were asked for and more follows."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            data=get_bytes(wire, "text", "base64"),
            size=wire["size"],
            mime=wire.get("mime"),
            next_line=wire.get("nextLine"),
            next_offset=wire.get("nextOffset"),
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        put_bytes(wire, "text", "base64", self.data)
        wire["size"] = self.size
        if self.mime is not None:
            wire["mime"] = self.mime
        if self.next_line is not None:
            wire["nextLine"] = self.next_line
        if self.next_offset is not None:
            wire["nextOffset"] = self.next_offset
        return wire


@dataclass(frozen=True)
class Edit:
    """A replacement."""

    old: str
    """The text that is there, to the letter."""

    new: str
    """What takes its place."""

    all: Optional[bool] = None
    """Whether every occurrence is replaced."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            old=wire["old"],
            new=wire["new"],
            all=wire.get("all"),
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["old"] = self.old
        wire["new"] = self.new
        if self.all is not None:
            wire["all"] = self.all
        return wire


@dataclass(frozen=True)
class EditOutput:
    """What was replaced."""

    replaced: int
    """How many occurrences."""

    diff: str
    """A unified diff, the first 16 KiB of it."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            replaced=wire["replaced"],
            diff=wire["diff"],
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["replaced"] = self.replaced
        wire["diff"] = self.diff
        return wire


@dataclass(frozen=True)
class GrepOutput:
    """The lines that were found."""

    matches: List[GrepMatch]
    """The lines, by path and number."""

    more: bool
    """Whether there are more than `limit`."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            matches=[GrepMatch.from_wire(item) for item in wire["matches"]],
            more=wire["more"],
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["matches"] = [item.to_wire() for item in self.matches]
        wire["more"] = self.more
        return wire


@dataclass(frozen=True)
class GrepMatch:
    """A line that was found."""

    path: str
    """The file; what is not UTF-8 in it is replaced."""

    line: int
    """The line's number, from 1."""

    content: str
    """The line, the first 500 bytes of it."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            path=wire["path"],
            line=wire["line"],
            content=wire["content"],
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["path"] = self.path
        wire["line"] = self.line
        wire["content"] = self.content
        return wire


@dataclass(frozen=True)
class GlobOutput:
    """The files that were found."""

    paths: List[str]
    """Their paths, sorted; what is not UTF-8 is replaced."""

    more: bool
    """Whether there are more than `limit`."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            paths=wire["paths"],
            more=wire["more"],
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["paths"] = list(self.paths)
        wire["more"] = self.more
        return wire


@dataclass(frozen=True)
class ListOutput:
    """A directory."""

    entries: List[Entry]
    """What is in it."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            entries=[Entry.from_wire(item) for item in wire["entries"]],
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["entries"] = [item.to_wire() for item in self.entries]
        return wire


@dataclass(frozen=True)
class Entry:
    """A name in a directory."""

    name: str
    """The name; what is not UTF-8 in it is replaced."""

    kind: FileKind
    """What it is."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            name=wire["name"],
            kind=wire["kind"],
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["name"] = self.name
        wire["kind"] = self.kind
        return wire


@dataclass(frozen=True)
class EnvGetOutput:
    """An environment."""

    env: Dict[str, str]
    """Values by name; what is not UTF-8 is replaced."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            env=wire["env"],
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["env"] = dict(self.env)
        return wire


@dataclass(frozen=True)
class ShellCreateOutput:
    """The shell's name."""

    shell: str
    """Its name."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            shell=wire["shell"],
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["shell"] = self.shell
        return wire


@dataclass(frozen=True)
class ShellListOutput:
    """The shells of a sandbox."""

    shells: List[str]
    """Their names, sorted; the main shell's is empty."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            shells=wire["shells"],
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["shells"] = list(self.shells)
        return wire


@dataclass(frozen=True)
class HistoryOutput:
    """The steps of a sandbox."""

    runs: List[PastRun]
    """The steps, the oldest first."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            runs=[PastRun.from_wire(item) for item in wire["runs"]],
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["runs"] = [item.to_wire() for item in self.runs]
        return wire


@dataclass(frozen=True)
class PastRun:
    """A step that has ended: a run, mostly."""

    run: int
    """Its number in the sandbox, from 1."""

    kind: StepKind
    """What it was."""

    command: str
    """What was run, or done to which path (`write notes.txt`); the first 4 KiB of it."""

    exit_code: int
    """How it ended."""

    execution_time_ms: float
    """How long it took, in milliseconds."""

    files: List[ChangedFile] = field(default_factory=list)
    """The files that it changed, the first 100: of every step in `undo` and `redo`, of those that are `files` in a list.
    """

    files_omitted: Optional[int] = None
    """How many files more it changed."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            run=wire["run"],
            kind=wire["kind"],
            command=wire["command"],
            exit_code=wire["exitCode"],
            execution_time_ms=wire["executionTimeMs"],
            files=[ChangedFile.from_wire(item) for item in wire.get("files", ())],
            files_omitted=wire.get("filesOmitted"),
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["run"] = self.run
        wire["kind"] = self.kind
        wire["command"] = self.command
        wire["exitCode"] = self.exit_code
        wire["executionTimeMs"] = self.execution_time_ms
        wire["files"] = [item.to_wire() for item in self.files]
        if self.files_omitted is not None:
            wire["filesOmitted"] = self.files_omitted
        return wire


@dataclass(frozen=True)
class ChangedFile:
    """A file that a step changed."""

    path: str
    """The path; what is not UTF-8 in it is replaced."""

    kind: ChangeKind
    """What the step did to it."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            path=wire["path"],
            kind=wire["kind"],
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["path"] = self.path
        wire["kind"] = self.kind
        return wire


@dataclass(frozen=True)
class CompleteOutput:
    """What could stand there."""

    start: int
    """Where the word starts that is to be replaced, in bytes."""

    words: List[str]
    """What it could be replaced by, sorted."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            start=wire["start"],
            words=wire["words"],
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["start"] = self.start
        wire["words"] = list(self.words)
        return wire


@dataclass(frozen=True)
class SnapshotInfo:
    """A snapshot."""

    id: str
    """Its id."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            id=wire["id"],
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["id"] = self.id
        return wire


@dataclass(frozen=True)
class SnapshotListOutput:
    """The snapshots of a sandbox."""

    snapshots: List[SnapshotInfo]
    """Each of them."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            snapshots=[SnapshotInfo.from_wire(item) for item in wire["snapshots"]],
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["snapshots"] = [item.to_wire() for item in self.snapshots]
        return wire


@dataclass(frozen=True)
class UndoOutput:
    """Which steps it was."""

    runs: List[PastRun]
    """The steps, in the order in which they were undone or done again, with the files that each had changed."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            runs=[PastRun.from_wire(item) for item in wire["runs"]],
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["runs"] = [item.to_wire() for item in self.runs]
        return wire


@dataclass(frozen=True)
class ChangesOutput:
    """What differs."""

    changes: List[PathChange]
    """The paths that differ, sorted."""

    diff: Optional[str] = None
    """A unified diff, if it was asked for."""

    ignored: int = 0
    """How many paths are left out because `.gitignore` or `exclude` names them."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            changes=[PathChange.from_wire(item) for item in wire["changes"]],
            diff=wire.get("diff"),
            ignored=wire.get("ignored", 0),
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["changes"] = [item.to_wire() for item in self.changes]
        if self.diff is not None:
            wire["diff"] = self.diff
        wire["ignored"] = self.ignored
        return wire


@dataclass(frozen=True)
class PreviewOutput:
    """What a script would do."""

    preview_id: str
    """The preview's id."""

    result: RunResult
    """The script's result."""

    changes: List[PathChange]
    """What it changed."""

    diff: str
    """A unified diff of it."""

    ignored: int = 0
    """How many paths are left out because `.gitignore` names them."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            preview_id=wire["previewId"],
            result=RunResult.from_wire(wire["result"]),
            changes=[PathChange.from_wire(item) for item in wire["changes"]],
            diff=wire["diff"],
            ignored=wire.get("ignored", 0),
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["previewId"] = self.preview_id
        wire["result"] = self.result.to_wire()
        wire["changes"] = [item.to_wire() for item in self.changes]
        wire["diff"] = self.diff
        wire["ignored"] = self.ignored
        return wire


@dataclass(frozen=True)
class MountsOutput:
    """The host directories of a sandbox."""

    mounts: List[MountInfo]
    """Each of them."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            mounts=[MountInfo.from_wire(item) for item in wire["mounts"]],
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["mounts"] = [item.to_wire() for item in self.mounts]
        return wire


@dataclass(frozen=True)
class MountInfo:
    """A host directory."""

    at: str
    """Where it is in the sandbox."""

    access: Access
    """What the sandbox may do with it."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            at=wire["at"],
            access=wire["access"],
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["at"] = self.at
        wire["access"] = self.access
        return wire


@dataclass(frozen=True)
class MountChangesOutput:
    """Changes of an overlay."""

    changes: List[MountChange]
    """Each of them."""

    ignored: int = 0
    """How many are left out because `.gitignore` or `exclude` names them."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            changes=[MountChange.from_wire(item) for item in wire["changes"]],
            ignored=wire.get("ignored", 0),
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["changes"] = [item.to_wire() for item in self.changes]
        wire["ignored"] = self.ignored
        return wire


@dataclass(frozen=True)
class MountChange:
    """A change of an overlay."""

    path: str
    """The path in the sandbox."""

    kind: ChangeKind
    """What happened to it."""

    guarded: bool
    """Whether applying it has to be allowed: programs of the host run or obey such a file."""

    target: Optional[str] = None
    """Where it leads, if it is a symbolic link."""

    inside: Optional[int] = None
    """How many changed paths are in it and are not listed: of `.git`."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            path=wire["path"],
            kind=wire["kind"],
            guarded=wire["guarded"],
            target=wire.get("target"),
            inside=wire.get("inside"),
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["path"] = self.path
        wire["kind"] = self.kind
        wire["guarded"] = self.guarded
        if self.target is not None:
            wire["target"] = self.target
        if self.inside is not None:
            wire["inside"] = self.inside
        return wire


@dataclass(frozen=True)
class AppliedOutput:
    """What became of changes."""

    done: bool
    """Whether anything was written: not if something was refused, unless `partial`."""

    applied: List[MountChange]
    """What the host has now, or would have if it were done."""

    refused: List[RefusedChange]
    """What was refused."""

    merged: List[str] = field(default_factory=list)
    """Paths among them that hold what both the sandbox and the host have changed."""

    lost: List[LostChange] = field(default_factory=list)
    """What is lost by `resolve`."""

    ignored: int = 0
    """How many changes are left out because `.gitignore` or `exclude` names them."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            done=wire["done"],
            applied=[MountChange.from_wire(item) for item in wire["applied"]],
            refused=[RefusedChange.from_wire(item) for item in wire["refused"]],
            merged=wire.get("merged", ()),
            lost=[LostChange.from_wire(item) for item in wire.get("lost", ())],
            ignored=wire.get("ignored", 0),
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["done"] = self.done
        wire["applied"] = [item.to_wire() for item in self.applied]
        wire["refused"] = [item.to_wire() for item in self.refused]
        wire["merged"] = list(self.merged)
        wire["lost"] = [item.to_wire() for item in self.lost]
        wire["ignored"] = self.ignored
        return wire


@dataclass(frozen=True)
class RefusedChange:
    """A change that was refused."""

    path: str
    """The path in the sandbox."""

    kind: ChangeKind
    """What was to happen to it."""

    why: str
    """Why not."""

    guarded: bool
    """Whether it would be applied with `allowGuarded`."""

    target: Optional[str] = None
    """Where it leads, if it is a symbolic link."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            path=wire["path"],
            kind=wire["kind"],
            why=wire["why"],
            guarded=wire["guarded"],
            target=wire.get("target"),
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["path"] = self.path
        wire["kind"] = self.kind
        wire["why"] = self.why
        wire["guarded"] = self.guarded
        if self.target is not None:
            wire["target"] = self.target
        return wire


@dataclass(frozen=True)
class LostChange:
    """What the resolution of a conflict loses."""

    path: str
    """The path in the sandbox."""

    what: str
    """What of it."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            path=wire["path"],
            what=wire["what"],
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["path"] = self.path
        wire["what"] = self.what
        return wire


@dataclass(frozen=True)
class DiscardedOutput:
    """Changes of an overlay that are forgotten."""

    changes: List[MountChange]
    """Each of them."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            changes=[MountChange.from_wire(item) for item in wire["changes"]],
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["changes"] = [item.to_wire() for item in self.changes]
        return wire


@dataclass(frozen=True)
class NetworkAccess:
    """Whether something may be reached."""

    allowed: bool
    """Whether it may."""

    rule: Optional[str] = None
    """The rule that allows it, or denies it."""

    reason: Optional[str] = None
    """Why it is denied, in the words that the program is told; or would be, if it is only reported."""

    ask: Optional[str] = None
    """What would allow it."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            allowed=wire["allowed"],
            rule=wire.get("rule"),
            reason=wire.get("reason"),
            ask=wire.get("ask"),
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["allowed"] = self.allowed
        if self.rule is not None:
            wire["rule"] = self.rule
        if self.reason is not None:
            wire["reason"] = self.reason
        if self.ask is not None:
            wire["ask"] = self.ask
        return wire


@dataclass(frozen=True)
class NetworkLogOutput:
    """What was asked of the network lately."""

    entries: List[NetworkEntry]
    """Each request and each denial."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            entries=[NetworkEntry.from_wire(item) for item in wire["entries"]],
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["entries"] = [item.to_wire() for item in self.entries]
        return wire


@dataclass(frozen=True)
class NetworkEntry:
    """A request that has ended, or something that was denied."""

    run: int
    """The run that it belongs to; 0 for a program that no script has started."""

    command: str
    """The program."""

    outcome: NetworkOutcome
    """What became of it."""

    url: str
    """The URL, without a user and with the names of its query only."""

    bytes_in: int
    """Bytes of the reply."""

    bytes_out: int
    """Bytes of the request."""

    total_ms: float
    """How long it took, in milliseconds."""

    insecure: bool
    """Whether any certificate of the server was taken, as a rule with `insecure` has it."""

    secrets: List[str]
    """The names of the secrets that were put in, or were stopped."""

    sandbox_id: Optional[str] = None
    """The sandbox, or its fork; none if it is gone."""

    method: Optional[str] = None
    """The method, if there is one."""

    rule: Optional[str] = None
    """The rule that decided, if one did."""

    reason: Optional[str] = None
    """Why it was denied or failed, in the words that the program was told."""

    status: Optional[int] = None
    """The status of the reply."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            run=wire["run"],
            command=wire["command"],
            outcome=wire["outcome"],
            url=wire["url"],
            bytes_in=wire["bytesIn"],
            bytes_out=wire["bytesOut"],
            total_ms=wire["totalMs"],
            insecure=wire["insecure"],
            secrets=wire["secrets"],
            sandbox_id=wire.get("sandboxId"),
            method=wire.get("method"),
            rule=wire.get("rule"),
            reason=wire.get("reason"),
            status=wire.get("status"),
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["run"] = self.run
        wire["command"] = self.command
        wire["outcome"] = self.outcome
        wire["url"] = self.url
        wire["bytesIn"] = self.bytes_in
        wire["bytesOut"] = self.bytes_out
        wire["totalMs"] = self.total_ms
        wire["insecure"] = self.insecure
        wire["secrets"] = list(self.secrets)
        if self.sandbox_id is not None:
            wire["sandboxId"] = self.sandbox_id
        if self.method is not None:
            wire["method"] = self.method
        if self.rule is not None:
            wire["rule"] = self.rule
        if self.reason is not None:
            wire["reason"] = self.reason
        if self.status is not None:
            wire["status"] = self.status
        return wire


@dataclass(frozen=True)
class JobsOutput:
    """The processes of a sandbox."""

    jobs: List[Job]
    """Each of them."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            jobs=[Job.from_wire(item) for item in wire["jobs"]],
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["jobs"] = [item.to_wire() for item in self.jobs]
        return wire


@dataclass(frozen=True)
class Job:
    """A process."""

    pid: int
    """Its number."""

    group: int
    """Its group."""

    parent: int
    """Its parent."""

    command: str
    """Its command line."""

    state: JobState
    """What it is doing."""

    age_ms: float
    """How long it has been there, in milliseconds."""

    cpu_ms: float
    """How long its code has run, in milliseconds."""

    memory: int
    """Its memory in bytes."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            pid=wire["pid"],
            group=wire["group"],
            parent=wire["parent"],
            command=wire["command"],
            state=wire["state"],
            age_ms=wire["ageMs"],
            cpu_ms=wire["cpuMs"],
            memory=wire["memory"],
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["pid"] = self.pid
        wire["group"] = self.group
        wire["parent"] = self.parent
        wire["command"] = self.command
        wire["state"] = self.state
        wire["ageMs"] = self.age_ms
        wire["cpuMs"] = self.cpu_ms
        wire["memory"] = self.memory
        return wire


@dataclass(frozen=True)
class SavedOutput:
    """A save."""

    sequence: int
    """The version's number, from 1."""

    written: int
    """Bytes that were written."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            sequence=wire["sequence"],
            written=wire["written"],
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["sequence"] = self.sequence
        wire["written"] = self.written
        return wire


@dataclass(frozen=True)
class VersionOutput:
    """A version of a state."""

    sequence: int
    """Its number, from 1; it grows with each save."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            sequence=wire["sequence"],
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["sequence"] = self.sequence
        return wire


@dataclass(frozen=True)
class ExportOutput:
    """A state."""

    data: bytes
    """The state."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            data=from_base64(wire["base64"]),
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["base64"] = to_base64(self.data)
        return wire


@dataclass(frozen=True)
class HashOutput:
    """A number of a state."""

    hash: str
    """BLAKE3, in hexadecimal."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            hash=wire["hash"],
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["hash"] = self.hash
        return wire


@dataclass(frozen=True)
class StatesListOutput:
    """The states that are kept."""

    states: List[SavedState]
    """One for each namespace, by name."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            states=[SavedState.from_wire(item) for item in wire["states"]],
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["states"] = [item.to_wire() for item in self.states]
        return wire


@dataclass(frozen=True)
class SavedState:
    """What is kept in a namespace."""

    namespace: str
    """The namespace."""

    bytes: int
    """Bytes that it takes, older versions included."""

    changed_ms: int
    """When it was saved last, in milliseconds since 1970."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            namespace=wire["namespace"],
            bytes=wire["bytes"],
            changed_ms=wire["changedMs"],
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["namespace"] = self.namespace
        wire["bytes"] = self.bytes
        wire["changedMs"] = self.changed_ms
        return wire


@dataclass(frozen=True)
class CommandsOutput:
    """The commands of a sandbox."""

    commands: List[str]
    """Their names, sorted."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            commands=wire["commands"],
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["commands"] = list(self.commands)
        return wire


@dataclass(frozen=True)
class OutputEvent:
    """Output of a command that runs."""

    sandbox_id: str
    """The sandbox."""

    run_id: str
    """The run, as its `run` call named it."""

    stream: OutputStream
    """Which stream."""

    data: bytes
    """The bytes."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            sandbox_id=wire["sandboxId"],
            run_id=wire["runId"],
            stream=wire["stream"],
            data=get_bytes(wire, "text", "base64"),
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["sandboxId"] = self.sandbox_id
        wire["runId"] = self.run_id
        wire["stream"] = self.stream
        put_bytes(wire, "text", "base64", self.data)
        return wire


@dataclass(frozen=True)
class CommandCall:
    """A call of a command that the client registered."""

    sandbox_id: str
    """The sandbox that calls."""

    name: str
    """The command's name, or its alias if it was called by one."""

    arguments: List[str]
    """Its arguments, without the name."""

    cwd: str
    """The working directory."""

    env: Dict[str, str]
    """The environment."""

    stdin: bytes
    """What it reads, whole."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            sandbox_id=wire["sandboxId"],
            name=wire["name"],
            arguments=wire["arguments"],
            cwd=wire["cwd"],
            env=wire["env"],
            stdin=get_bytes(wire, "stdin", "stdinBase64"),
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["sandboxId"] = self.sandbox_id
        wire["name"] = self.name
        wire["arguments"] = list(self.arguments)
        wire["cwd"] = self.cwd
        wire["env"] = dict(self.env)
        put_bytes(wire, "stdin", "stdinBase64", self.stdin)
        return wire


@dataclass(frozen=True)
class CommandReply:
    """What a client's command answers."""

    stdout: bytes
    """What it prints."""

    exit_code: int = 0
    """Its status; 0 if nothing is said."""

    stderr: Optional[str] = None
    """What it complains about."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            stdout=get_bytes(wire, "stdout", "stdoutBase64"),
            exit_code=wire.get("exitCode", 0),
            stderr=wire.get("stderr"),
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        put_bytes(wire, "stdout", "stdoutBase64", self.stdout)
        wire["exitCode"] = self.exit_code
        if self.stderr is not None:
            wire["stderr"] = self.stderr
        return wire


@dataclass(frozen=True)
class NetworkRequest:
    """A request to the network that the client decides about."""

    ask: str
    """The word that the client has given with the network."""

    sandbox_id: str
    """The sandbox."""

    run: int
    """The run that it belongs to; 0 for a program that no script has started."""

    command: str
    """The program."""

    id: int
    """The number of the request in the sandbox."""

    url: str
    """The whole URL, with placeholders for secrets."""

    host: str
    """The host."""

    port: int
    """The port."""

    headers: List[HeaderField]
    """The header fields, with placeholders for secrets."""

    method: Optional[str] = None
    """The method; none for a connection that is no HTTP."""

    body_bytes: Optional[int] = None
    """The length of the body, if that is known."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            ask=wire["ask"],
            sandbox_id=wire["sandboxId"],
            run=wire["run"],
            command=wire["command"],
            id=wire["id"],
            url=wire["url"],
            host=wire["host"],
            port=wire["port"],
            headers=[HeaderField.from_wire(item) for item in wire["headers"]],
            method=wire.get("method"),
            body_bytes=wire.get("bodyBytes"),
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["ask"] = self.ask
        wire["sandboxId"] = self.sandbox_id
        wire["run"] = self.run
        wire["command"] = self.command
        wire["id"] = self.id
        wire["url"] = self.url
        wire["host"] = self.host
        wire["port"] = self.port
        wire["headers"] = [item.to_wire() for item in self.headers]
        if self.method is not None:
            wire["method"] = self.method
        if self.body_bytes is not None:
            wire["bodyBytes"] = self.body_bytes
        return wire


@dataclass(frozen=True)
class HeaderField:
    """A field of a head."""

    name: str
    """Its name."""

    value: str
    """Its value; what is not UTF-8 is replaced."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            name=wire["name"],
            value=wire["value"],
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["name"] = self.name
        wire["value"] = self.value
        return wire


@dataclass(frozen=True)
class NetworkReply:
    """What the client decides."""

    decision: Decision
    """What becomes of it."""

    body: bytes
    """The body of an answer."""

    reason: Optional[str] = None
    """Why it is denied, for the program inside."""

    status: Optional[int] = None
    """The status of an answer, from 200 to 599; 200 if not given."""

    headers: Optional[List[HeaderField]] = None
    """The header fields of an answer."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            decision=wire["decision"],
            body=get_bytes(wire, "body", "bodyBase64"),
            reason=wire.get("reason"),
            status=wire.get("status"),
            headers=[HeaderField.from_wire(item) for item in wire["headers"]] if wire.get("headers") is not None else None,
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["decision"] = self.decision
        put_bytes(wire, "body", "bodyBase64", self.body)
        if self.reason is not None:
            wire["reason"] = self.reason
        if self.status is not None:
            wire["status"] = self.status
        if self.headers is not None:
            wire["headers"] = [item.to_wire() for item in self.headers]
        return wire


@dataclass(frozen=True)
class ApiError:
    """An error on its way to a client: the `error` of a JSON-RPC answer, and the body of an HTTP one."""

    code: int
    """JSON-RPC's number of the kind."""

    message: str
    """What is wrong, for people."""

    data: ErrorData
    """More, for programs."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            code=wire["code"],
            message=wire["message"],
            data=ErrorData.from_wire(wire["data"]),
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["code"] = self.code
        wire["message"] = self.message
        wire["data"] = self.data.to_wire()
        return wire


@dataclass(frozen=True)
class ErrorData:
    """What programs match on."""

    kind: ErrorKind
    """What kind of error it is."""

    hint: str
    """What to do about it."""

    errno: Optional[str] = None
    """The error's name where a file or a process is the cause: `ENOENT`."""

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Self:
        """Reads it as it travels."""
        return cls(
            kind=wire["kind"],
            hint=wire["hint"],
            errno=wire.get("errno"),
        )

    def to_wire(self) -> Dict[str, Any]:
        """Writes it as it travels."""
        wire: Dict[str, Any] = {}
        wire["kind"] = self.kind
        wire["hint"] = self.hint
        if self.errno is not None:
            wire["errno"] = self.errno
        return wire


class CreateOptions(TypedDict, total=False):
    """How a sandbox is made."""

    profile: Optional[Profile]
    """Limits that go together."""

    cwd: Optional[str]
    """Working directory of commands; `/home/user` if not given."""

    env: Optional[Dict[str, str]]
    """Environment beside the usual; a name given here replaces it."""

    timeout: Optional[float]
    """How long a command may take, in seconds; 30 s if not given, and as long as the server allows if 0."""

    memory_bytes: Optional[int]
    """Memory of one process in bytes, at most 4 GiB. What all processes may have together grows with it."""

    disk_bytes: Optional[int]
    """Bytes that its files may take."""

    processes: Optional[int]
    """Processes at a time."""

    output_budget: Optional[int]
    """Bytes of each output stream that a result holds, its beginning and its end; the whole stays in `/proc/runs`."""

    allowed_commands: Optional[List[str]]
    """The only commands that may be started; all if not given."""

    mounts: Optional[List[Mount]]
    """Host directories. A server that others reach refuses those that it was not told to allow."""

    network: Optional[Network]
    """What it may reach beyond itself; nothing if not given."""

    undo_runs: Optional[int]
    """How many runs can be undone; 100 if not given."""

    hints: Optional[bool]
    """Whether shells add a line `codepod: hint: …` where bash's own message leaves a model without help, and standard
    error ends with a line for each limit that was reached; they do if not given.
    """

    persistence: Optional[PersistenceParams]
    """Whether its state can leave it, and whether it is kept."""
