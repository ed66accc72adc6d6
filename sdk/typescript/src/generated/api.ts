// Made by `cargo xtask generate` from crates/codepod-api. Changes here are lost.

/** No parameters. */
export type Empty = Record<string, never>;

/** What a server is. */
export interface ServerInfoOutput {
  /** Version of codepod. */
  version: string;
  /** Version of these methods: a number that grows when one changes incompatibly. */
  protocol: number;
  /** The names of all methods of this surface. */
  methods: string[];
  /**
   * What stands between the server's process and its host, beside the sandboxes themselves: `seccomp`, `no-new-code` and
   * `landlock`, as far as they hold. Nothing where it has not locked itself in.
   */
  layers: string[];
}

/** How a sandbox is made. */
export interface CreateParams {
  /** Limits that go together. */
  profile?: Profile;
  /** Working directory of commands; `/home/user` if not given. */
  cwd?: string;
  /** Environment beside the usual; a name given here replaces it. */
  env?: Record<string, string>;
  /** How long a command may take, in milliseconds; 30 s if not given, and as long as the server allows if 0. */
  timeoutMs?: number;
  /** Memory of one process in bytes, at most 4 GiB. What all processes may have together grows with it. */
  memoryBytes?: number;
  /** Bytes that its files may take. */
  diskBytes?: number;
  /** Processes at a time. */
  processes?: number;
  /** Bytes of each output stream that a result holds, its beginning and its end; the whole stays in `/proc/runs`. */
  outputBudget?: number;
  /** The only commands that may be started; all if not given. */
  allowedCommands?: string[];
  /** Host directories. A server that others reach refuses those that it was not told to allow. */
  mounts?: Mount[];
  /** What it may reach beyond itself; nothing if not given. */
  network?: Network;
  /** How many runs can be undone; 100 if not given. */
  undoRuns?: number;
  /**
   * Whether shells add a line `codepod: hint: …` where bash's own message leaves a model without help, and standard error ends
   * with a line for each limit that was reached; they do if not given.
   */
  hints?: boolean;
  /** Whether its state can leave it, and whether it is kept. */
  persistence?: PersistenceParams;
}

/** Limits that go together. */
export type Profile =
  /** 100 MB of files, 10,000 of them. */
  | "small"
  /** 256 MB of files, 100,000 of them. */
  | "default"
  /** For builds and data. */
  | "large";

/** A host directory in a sandbox. */
export interface Mount {
  /** The directory of the host. */
  host: string;
  /** Where it is in the sandbox; absolute. */
  at: string;
  /** What the sandbox may do with it; read-only if not given. */
  access?: Access;
  /** Which of its paths are guarded; the usual ones if not given. */
  guard?: Guard;
}

/** What a sandbox may do with a host directory. */
export type Access =
  /** Only read. */
  | "ro"
  /** Read and write, on the host itself. */
  | "rw"
  /** Read, and write inside only, until the changes are applied. */
  | "overlay";

/** Which paths of a host directory a sandbox may not change, because programs of the host run or obey them. */
export type Guard =
  /** Git's hooks and settings, what editors, agents and shells read when they start, links that lead out. */
  | "usual"
  /** None. */
  | "none";

/** What a sandbox may reach, within what the server allows. Without a list it is nothing. */
export interface Network {
  /**
   * Rules for what may be reached: `api.example.com`, `*.example.com`, `https://example.com/v1`, `tcp://db.example.com:5432`.
   */
  allowedHosts?: string[];
  /** Rules with more to say, after those of `allowedHosts`. */
  rules?: HostRule[];
  /**
   * Rules for what may not be reached, where everything else that is public may, by https and http on their usual ports. Not
   * beside `allowedHosts` or `rules`.
   */
  blockedHosts?: string[];
  /**
   * Addresses of hosts by name, `IP` or `IP:PORT`, which are reached even if they are not public. The name needs a rule all the
   * same.
   */
  hosts?: Record<string, string>;
  /** Whether what no rule allows is let through over https and http, and only reported. */
  reportOnly?: boolean;
  /** What programs can use and not read. In the environment there is a placeholder for each. */
  secrets?: Secret[];
  /**
   * The keys of an AWS account. Programs sign with others, which are worth nothing, and what may be signed is signed anew
   * outside.
   */
  aws?: AwsKeys;
  /**
   * A directory of the host into which everything is recorded that happens on the network, in place of an earlier recording. Only
   * where the client has started the server itself, and as the sandbox gets its network: what is set later does not change what
   * is recorded.
   */
  record?: string;
  /**
   * A directory of the host with such a recording, which takes the place of every server. What was not recorded is denied, and
   * values of secrets may be empty. Given where and as `record` is, and not beside it.
   */
  replay?: string;
  /**
   * A word by which the client is asked about each request that everything else allows: by a request `network.request` that names
   * it, on the same connection. What is not answered within 30 seconds is denied.
   */
  ask?: string;
  /** Requests that may be made; 10,000 if not given. Forks count with their parent. */
  requests?: number;
  /** Bytes that may be received; 1 GiB if not given. */
  bytesIn?: number;
  /** Bytes that may be sent; 100 MiB if not given. */
  bytesOut?: number;
  /** Connections at a time; 32 if not given. */
  connections?: number;
}

/** A rule that says more than where. */
export interface HostRule {
  /** Where, as in `allowedHosts`. */
  rule: string;
  /** The methods; all but CONNECT and TRACE if not given. */
  methods?: string[];
  /** Whether addresses that are not public may be reached; they may not if not given. */
  private?: boolean;
  /** Certificate authorities in PEM, which are trusted here in place of the usual ones. */
  authorities?: string;
  /**
   * Whether any certificate of the server is taken; events say so, and no secret goes there. Not beside `authorities` or
   * `clientCert`, and not where the server of sandboxes decides what they may reach.
   */
  insecure?: boolean;
  /** What the server is shown in place of what a program inside has. */
  clientCert?: ClientCert;
}

/** A certificate for clients, and its key, which no program inside sees. */
export interface ClientCert {
  /** The certificates in PEM, its own first. */
  chain: string;
  /** The key in PEM. It is in no answer, log or saved state. */
  key: string;
}

/** What programs can use and not read. */
export interface Secret {
  /** The variable that holds its placeholder. */
  name: string;
  /** Its value: 8 bytes to 8 KiB of visible ASCII; it may be empty in a replay. It is in no answer, log or saved state. */
  value: string;
  /** Rules for the hosts that it is sent to, over https. */
  hosts: string[];
  /** Where it is put in; `header`, `basic` and `query` if not given. */
  places?: SecretPlace[];
  /** Whether replies of its hosts are searched for its value; they are if not given. */
  redact?: boolean;
}

/** Where a secret is put in. */
export type SecretPlace =
  /** Values of header fields. */
  | "header"
  /** User and password of basic authentication. */
  | "basic"
  /** The query of the URL. */
  | "query"
  /** The body. */
  | "body"
  /** Messages of WebSockets that are sent. */
  | "websocket";

/** The keys of an AWS account, and what may be signed with them. */
export interface AwsKeys {
  /** The id of the key; it may be empty in a replay, like the other two. */
  accessKeyId: string;
  /** The secret key. It is in no answer, log or saved state. */
  secret: string;
  /** The token of a session, which goes to the hosts. */
  sessionToken?: string;
  /** The services, by the names that signatures have: `s3`, `dynamodb`. */
  services: string[];
  /** The regions: `eu-central-1`. */
  regions: string[];
  /** Rules for https: where what is signed may go. Their paths count. */
  hosts: string[];
}

/** Whether a state can leave its sandbox. */
export interface PersistenceParams {
  /** How. */
  mode: PersistenceMode;
  /** Name of the state, if it is persistent; one sandbox at a time has it. */
  namespace?: string;
  /** How long a change may wait until it is saved, in milliseconds, at least 250; 1,000 if not given. */
  autosaveMs?: number;
}

/** How a state is kept. */
export type PersistenceMode =
  /** It ends with the sandbox and cannot be saved. */
  | "ephemeral"
  /** It ends with the sandbox, unless it is exported. */
  | "exportable"
  /** It is loaded when the sandbox is made, and saved by itself. */
  | "persistent";

/** A sandbox. */
export interface SandboxInfo {
  /** Its id, which cannot be guessed. */
  sandboxId: string;
  /** When it was made, in milliseconds since 1970. */
  createdMs: number;
  /** The sandbox that it was forked from. */
  parent?: string;
  /** Name of its state, if it is kept. */
  namespace?: string;
}

/** The sandboxes that are alive. */
export interface SandboxListOutput {
  /** Each of them. */
  sandboxes: SandboxInfo[];
}

/** It is done. */
export interface Done {
  /** Always true: what could not be done is an error. */
  ok: boolean;
}

/** Which fork to become. */
export interface AdoptParams {
  /** The fork's id. */
  fork: string;
}

/** Which fork to take from. */
export interface MergeParams {
  /** The fork's id. */
  fork: string;
  /** A snapshot of what both began with. */
  base: string;
}

/** What was merged. */
export interface MergeOutput {
  /** What was taken from the fork. */
  taken: PathChange[];
  /** Paths that both changed to the same. */
  same: string[];
  /** Paths that both changed differently: ours stayed. */
  conflicts: Conflict[];
}

/** A path that differs. */
export interface PathChange {
  /** The path; what is not UTF-8 in it is replaced. */
  path: string;
  /** What happened to it. */
  kind: ChangeKind;
  /** What it was. */
  before?: Stat;
  /** What it is. */
  after?: Stat;
  /** How many changed paths are in it and are not listed: of `.git`. */
  inside?: number;
}

/** What happened to a path. */
export type ChangeKind =
  /** It is new. */
  | "added"
  /** It holds something else, or is something else. */
  | "modified"
  /** Only its mode or its owner changed. */
  | "mode"
  /** It is gone. */
  | "removed";

/** Facts of a path. */
export interface Stat {
  /** What it is. */
  kind: FileKind;
  /** Bytes. */
  size: number;
  /** Mode bits: 0o644 is 420. */
  mode: number;
  /** Owner. */
  uid: number;
  /** Group. */
  gid: number;
  /** When it was changed last, in milliseconds since 1970. */
  mtimeMs: number;
}

/** What a path is. */
export type FileKind =
  /** A file. */
  | "file"
  /** A directory. */
  | "directory"
  /** A symbolic link. */
  | "symlink"
  /** A pipe, a device or a socket. */
  | "other";

/** A path that two sandboxes changed differently. */
export interface Conflict {
  /** The path. */
  path: string;
  /** What we did to it. */
  ours: ChangeKind;
  /** What the fork did. */
  theirs: ChangeKind;
}

/** What a sandbox uses. */
export interface StatsOutput {
  /** Bytes of files beyond the base image. */
  bytes: number;
  /** Files and directories beyond the base image. */
  nodes: number;
  /** Processes alive or not yet waited for. */
  processes: number;
  /** Open files and pipes. */
  open: number;
  /** Memory of its processes, in bytes. */
  memory: number;
  /** Runs that were begun. */
  runs: number;
  /** What its processes have used so far. */
  usage: Usage;
  /** What it and its forks have used of the network, if it has one. */
  network?: NetworkUsage;
}

/** What processes used. */
export interface Usage {
  /** Processes that were started. */
  processes: number;
  /** How long their code ran, in milliseconds. */
  cpuMs: number;
  /** Bytes that they read. */
  read: number;
  /** Bytes that they wrote. */
  written: number;
  /** Requests to hosts beyond the sandbox, and raw connections. */
  requests: number;
  /** Bytes that came from there. */
  bytesIn: number;
  /** Bytes that went there. */
  bytesOut: number;
}

/** What a sandbox and its forks have used of the network. */
export interface NetworkUsage {
  /** Requests; a connection that is no HTTP counts as one. */
  requests: number;
  /** Bytes received. */
  bytesIn: number;
  /** Bytes sent. */
  bytesOut: number;
  /** Connections that are open. */
  connections: number;
}

/** What to run. */
export interface RunParams {
  /** The script, as bash reads it. */
  command: string;
  /** The shell to run it in; the main one if not given. */
  shell?: string;
  /** The directory that it runs in; afterwards the shell is where it was. If not given, it runs where the shell is. */
  cwd?: string;
  /** What it reads. */
  stdin?: string;
  /** What it reads, in base64, where it is not text. */
  stdinBase64?: string;
  /** Variables that are exported to this script only. */
  env?: Record<string, string>;
  /** `$1`, `$2`, … for this script only. */
  arguments?: string[];
  /** How long it may take, in milliseconds; as the sandbox says if not given, and as long as the server allows if 0. */
  timeoutMs?: number;
  /** Bytes of each output stream that the result holds; as the sandbox says if not given. */
  outputBudget?: number;
  /** A name for this run, by which it can be cancelled and its output told apart. */
  runId?: string;
  /** Whether output comes while it runs, as notifications; the result's streams are empty then. */
  stream?: boolean;
  /** Whether more input comes by `run.stdin`; needs `runId` and `stream`. */
  interactive?: boolean;
  /** A name of this attempt: another call with the same one gets the first's result and runs nothing. */
  idempotencyKey?: string;
}

/** What a command left behind. */
export interface RunOutput {
  /** Its number among the runs of the sandbox, from 1. */
  run: number;
  /**
   * Exit status: 128 plus the number for a signal, 124 after the timeout, 130 when it was cancelled, 126 and 127 as in a shell.
   */
  exitCode: number;
  /** Whether the status is 0. */
  success: boolean;
  /**
   * What it printed; what is not UTF-8 is replaced. Where a part is missing, a line `[… bytes are not shown; all of it is in
   * …]` stands in its place.
   */
  stdout: string;
  /** What it complained about, as `stdout`. */
  stderr: string;
  /** The bytes of `stdout` in base64, only where they are not UTF-8. */
  stdoutBase64?: string;
  /** The bytes of `stderr` in base64, only where they are not UTF-8. */
  stderrBase64?: string;
  /** What is missing in `stdout`, because it was longer than its budget or reached its limit. */
  stdoutCut?: Cut;
  /** What is missing in `stderr`. */
  stderrCut?: Cut;
  /** Whether the end of the output is lost because a stream reached its limit. */
  truncated: boolean;
  /** Whether it was ended at its timeout. */
  timedOut: boolean;
  /** Whether it was cancelled. */
  cancelled: boolean;
  /** Whether the shell itself failed: files and variables are as they were before. */
  crashed: boolean;
  /** How long it took, in milliseconds. */
  executionTimeMs: number;
  /** What it used. */
  usage: Usage;
  /** The processes that it started and that have ended, the last few hundred. */
  processes?: ProcessFacts[];
}

/** What is missing in a stream. */
export interface Cut {
  /** Where it is missing: so many bytes are before it. */
  head: number;
  /** Bytes of the line that stands there and says so. */
  mark: number;
  /** How many bytes are missing. */
  omitted: number;
  /** The file in the sandbox that holds all that was kept. */
  path: string;
}

/** A process that has ended. */
export interface ProcessFacts {
  /** Its number. */
  pid: number;
  /** Its command line, the first 256 bytes. */
  command: string;
  /** Its status. */
  exitCode: number;
  /** How long it was there, in milliseconds. */
  timeMs: number;
  /** How long its code ran, in milliseconds. */
  cpuMs: number;
  /** Bytes that it read. */
  read: number;
  /** Bytes that it wrote. */
  written: number;
  /** The most memory that it had, in bytes. */
  memory: number;
}

/** What to start. */
export interface StartParams {
  /** The script, as bash reads it. */
  command: string;
  /** The shell whose variables and working directory it begins with; the main one if not given. */
  shell?: string;
  /** The directory that it runs in; where the shell is if not given. */
  cwd?: string;
  /** Variables that are exported to it. */
  env?: Record<string, string>;
  /** `$1`, `$2`, … */
  arguments?: string[];
  /** How long it may take, in milliseconds; an hour if not given. */
  timeoutMs?: number;
  /** A name for it that no other run has; one is made up if none is given. */
  runId?: string;
}

/** What was started. */
export interface StartOutput {
  /** The run's name. */
  runId: string;
}

/** Which output. */
export interface SinceParams {
  /** The run, as the call that started it named it. */
  runId: string;
  /** The first byte, of both streams together; where the last call ended if not given. */
  since?: number;
  /** How long to wait for output or its end, in milliseconds, 60000 at most; not at all if not given. */
  waitMs?: number;
  /** How many bytes at most; all that is kept if not given. */
  length?: number;
}

/** What a background run printed, and whether it still runs. */
export interface SinceOutput {
  /** Whether it still runs. */
  running: boolean;
  /** Its status, once it has ended; see `run`. */
  exitCode?: number;
  /** What it printed; what is not UTF-8 is replaced. */
  stdout: string;
  /** What it complained about, as `stdout`. */
  stderr: string;
  /** The bytes of `stdout` in base64, only where they are not UTF-8. */
  stdoutBase64?: string;
  /** The bytes of `stderr` in base64, only where they are not UTF-8. */
  stderrBase64?: string;
  /** Where to go on: the next call's `since`. */
  next: number;
  /** Bytes that follow and did not fit. */
  more: number;
  /** Bytes before these that are not kept any more: the last MiB is. */
  missed: number;
  /** Whether it was ended at its timeout. */
  timedOut: boolean;
  /** Whether it was cancelled. */
  cancelled: boolean;
}

/** More input for a run. */
export interface StdinParams {
  /** The run, as the call that started it named it. */
  runId: string;
  /** What it reads next. */
  text?: string;
  /** What it reads next, in base64, where that is not text. */
  base64?: string;
  /** Whether that was all. */
  end?: boolean;
}

/** Which run to end. */
export interface CancelParams {
  /** The run, as the call that started it named it. */
  runId: string;
}

/** What to run, and where. */
export interface SessionRunParams {
  /** The code. */
  code: string;
  /** The session to run it in, which begins with its first call; `main` if not given. Letters, digits, `_` and `-`. */
  session?: string;
  /** What it reads. */
  stdin?: string;
  /** What it reads, in base64, where it is not text. */
  stdinBase64?: string;
  /**
   * How long it may take, in milliseconds; as the sandbox says if not given, and as long as the server allows if 0. Code that
   * takes longer leaves the session as it was.
   */
  timeoutMs?: number;
  /** Bytes of each output stream that the result holds; as the sandbox says if not given. */
  outputBudget?: number;
  /** A name for this call, by which it can be cancelled and its output told apart. */
  runId?: string;
  /** Whether output comes while it runs, as notifications; the result's streams are empty then. */
  stream?: boolean;
  /** Whether more input comes by `run.stdin`; needs `runId` and `stream`. */
  interactive?: boolean;
}

/** Which session. */
export interface SessionResetParams {
  /** Its name; `main` if not given. */
  session?: string;
}

/** What to read. */
export interface ReadParams {
  /** The path. */
  path: string;
  /** The first byte; the beginning if not given. */
  offset?: number;
  /** How many bytes at most; to the end if not given. */
  length?: number;
  /** The first line, from 1; instead of `offset`. */
  line?: number;
  /** How many lines at most. */
  lines?: number;
  /** Whether every line begins with its number and a tab, as `cat -n` prints it. */
  numbers?: boolean;
}

/** What a file holds: `text` or `base64`. */
export interface ReadOutput {
  /** The bytes, if they are UTF-8. */
  text?: string;
  /** The bytes in base64, if they are not. */
  base64?: string;
  /** Bytes of the whole file. */
  size: number;
  /** What it is, if it begins as a picture does: `image/png`, `image/jpeg`, `image/gif`, `image/webp`. */
  mime?: string;
  /** The line to go on with, where lines were asked for and more follow. */
  nextLine?: number;
  /** The byte to go on with, where lines were asked for and more follows. */
  nextOffset?: number;
}

/** What to write: `text` or `base64`. */
export interface WriteParams {
  /** The path. */
  path: string;
  /** What it shall hold. */
  text?: string;
  /** What it shall hold, in base64, where that is not text. */
  base64?: string;
  /** Whether directories above it are made; they are if not given. */
  parents?: boolean;
}

/** What to replace in which file. */
export interface EditParams {
  /** The path. */
  path: string;
  /** The edits, at most 100; each sees what those before it left. */
  edits: Edit[];
}

/** A replacement. */
export interface Edit {
  /** The text that is there, to the letter. */
  old: string;
  /** What takes its place. */
  new: string;
  /** Whether every occurrence is replaced. */
  all?: boolean;
}

/** What was replaced. */
export interface EditOutput {
  /** How many occurrences. */
  replaced: number;
  /** A unified diff, the first 16 KiB of it. */
  diff: string;
}

/** Which lines to look for, and where. */
export interface GrepParams {
  /** A regular expression. */
  pattern: string;
  /** A file or a directory; the working directory if not given. */
  path?: string;
  /** Only files whose path matches this, such as `*.py`. */
  glob?: string;
  /** Whether upper and lower case are the same. */
  ignoreCase?: boolean;
  /** Whether the pattern is plain text. */
  fixed?: boolean;
  /** Whether ignored files are searched as well. */
  all?: boolean;
  /** The most lines; 200 if not given, 5000 at most. */
  limit?: number;
}

/** The lines that were found. */
export interface GrepOutput {
  /** The lines, by path and number. */
  matches: GrepMatch[];
  /** Whether there are more than `limit`. */
  more: boolean;
}

/** A line that was found. */
export interface GrepMatch {
  /** The file; what is not UTF-8 in it is replaced. */
  path: string;
  /** The line's number, from 1. */
  line: number;
  /** The line, the first 500 bytes of it. */
  content: string;
}

/** Which files, and where. */
export interface GlobParams {
  /** The pattern: `*` and `?` within a name, `**` across directories, `[a-z]`, `{a,b}`. */
  pattern: string;
  /** The directory; the working directory if not given. */
  path?: string;
  /** Whether ignored files are listed as well. */
  all?: boolean;
  /** The most paths; 1000 if not given, 10000 at most. */
  limit?: number;
}

/** The files that were found. */
export interface GlobOutput {
  /** Their paths, sorted; what is not UTF-8 is replaced. */
  paths: string[];
  /** Whether there are more than `limit`. */
  more: boolean;
}

/** A path. */
export interface PathParams {
  /** The path. */
  path: string;
}

/** A directory. */
export interface ListOutput {
  /** What is in it. */
  entries: Entry[];
}

/** A name in a directory. */
export interface Entry {
  /** The name; what is not UTF-8 in it is replaced. */
  name: string;
  /** What it is. */
  kind: FileKind;
}

/** Which path gets which name. */
export interface RenameParams {
  /** The path. */
  path: string;
  /** Its new path. */
  to: string;
}

/** Which mode a path gets. */
export interface ChmodParams {
  /** The path. */
  path: string;
  /** Mode bits: 0o644 is 420. */
  mode: number;
}

/** Which paths go back to what. */
export interface RestoreParams {
  /** The moment: `before:3`, `after:3` (a run's number) or `snapshot:ID`. */
  from: string;
  /** The paths; a directory with all that is in it. */
  paths: string[];
}

/** Whose environment. */
export interface EnvGetParams {
  /** The shell; the main one if not given. */
  shell?: string;
}

/** An environment. */
export interface EnvGetOutput {
  /** Values by name; what is not UTF-8 is replaced. */
  env: Record<string, string>;
}

/** What to export. */
export interface EnvSetParams {
  /** Values by name. */
  env: Record<string, string>;
  /** The shell; the main one if not given. */
  shell?: string;
}

/** How to name it. */
export interface ShellCreateParams {
  /** A name that is not taken; one is made up if none is given. */
  shell?: string;
}

/** The shell's name. */
export interface ShellCreateOutput {
  /** Its name. */
  shell: string;
}

/** The shells of a sandbox. */
export interface ShellListOutput {
  /** Their names, sorted; the main shell's is empty. */
  shells: string[];
}

/** Which shell to end. */
export interface ShellCloseParams {
  /** Its name; the main shell restarts with its next run. */
  shell: string;
}

/** The steps of a sandbox. */
export interface HistoryOutput {
  /** The steps, the oldest first. */
  runs: PastRun[];
}

/** A step that has ended: a run, mostly. */
export interface PastRun {
  /** Its number in the sandbox, from 1. */
  run: number;
  /** What it was. */
  kind: StepKind;
  /** What was run, or done to which path (`write notes.txt`); the first 4 KiB of it. */
  command: string;
  /** How it ended. */
  exitCode: number;
  /** How long it took, in milliseconds. */
  executionTimeMs: number;
  /** The files that it changed, the first 100: of every step in `undo` and `redo`, of those that are `files` in a list. */
  files?: ChangedFile[];
  /** How many files more it changed. */
  filesOmitted?: number;
}

/** What a step was. */
export type StepKind =
  /** A script, a command or Python code. */
  | "run"
  /** A method that changed files. */
  | "files"
  /** A fork that was adopted or merged. */
  | "state";

/** A file that a step changed. */
export interface ChangedFile {
  /** The path; what is not UTF-8 in it is replaced. */
  path: string;
  /** What the step did to it. */
  kind: ChangeKind;
}

/** Where to look for words. */
export interface CompleteParams {
  /** The line so far. */
  line: string;
  /** Where the cursor is, in bytes; at the end if not given. */
  cursor?: number;
  /** The shell; the main one if not given. */
  shell?: string;
}

/** What could stand there. */
export interface CompleteOutput {
  /** Where the word starts that is to be replaced, in bytes. */
  start: number;
  /** What it could be replaced by, sorted. */
  words: string[];
}

/** A snapshot. */
export interface SnapshotInfo {
  /** Its id. */
  id: string;
}

/** Which snapshot. */
export interface SnapshotParams {
  /** Its id. */
  id: string;
}

/** The snapshots of a sandbox. */
export interface SnapshotListOutput {
  /** Each of them. */
  snapshots: SnapshotInfo[];
}

/** How many steps. */
export interface UndoParams {
  /** How many; one if not given. */
  count?: number;
}

/** Which steps it was. */
export interface UndoOutput {
  /** The steps, in the order in which they were undone or done again, with the files that each had changed. */
  runs: PastRun[];
}

/** Between which moments. */
export interface ChangesParams {
  /** The earlier moment: `before:3`, `after:3` (a run's number) or `snapshot:ID`; before the last step if not given. */
  from?: string;
  /** The later moment, as `from`, or `now`; now if not given. */
  to?: string;
  /** Whether to add a unified diff. */
  diff?: boolean;
  /** Whether to tell also what `.gitignore` names, and each path in `.git`. */
  all?: boolean;
  /** Patterns of paths to leave out, written as in `.gitignore`. */
  exclude?: string[];
}

/** What differs. */
export interface ChangesOutput {
  /** The paths that differ, sorted. */
  changes: PathChange[];
  /** A unified diff, if it was asked for. */
  diff?: string;
  /** How many paths are left out because `.gitignore` or `exclude` names them. */
  ignored?: number;
}

/** What a script would do. */
export interface PreviewOutput {
  /** The preview's id. */
  previewId: string;
  /** The script's result. */
  result: RunOutput;
  /** What it changed. */
  changes: PathChange[];
  /** A unified diff of it. */
  diff: string;
  /** How many paths are left out because `.gitignore` names them. */
  ignored?: number;
}

/** Which preview. */
export interface PreviewParams {
  /** Its id. */
  previewId: string;
}

/** The host directories of a sandbox. */
export interface MountsOutput {
  /** Each of them. */
  mounts: MountInfo[];
}

/** A host directory. */
export interface MountInfo {
  /** Where it is in the sandbox. */
  at: string;
  /** What the sandbox may do with it. */
  access: Access;
}

/** Which changes of which mount. */
export interface MountChangesParams {
  /** Where it is in the sandbox. */
  at: string;
  /** Whether to tell also what `.gitignore` names, and each path in `.git`. */
  all?: boolean;
  /** Patterns of paths to leave out, written as in `.gitignore`. */
  exclude?: string[];
}

/** Changes of an overlay. */
export interface MountChangesOutput {
  /** Each of them. */
  changes: MountChange[];
  /** How many are left out because `.gitignore` or `exclude` names them. */
  ignored?: number;
}

/** A change of an overlay. */
export interface MountChange {
  /** The path in the sandbox. */
  path: string;
  /** What happened to it. */
  kind: ChangeKind;
  /** Whether applying it has to be allowed: programs of the host run or obey such a file. */
  guarded: boolean;
  /** Where it leads, if it is a symbolic link. */
  target?: string;
  /** How many changed paths are in it and are not listed: of `.git`. */
  inside?: number;
}

/** Which paths of which mount are to be made on the host. */
export interface MountApplyParams {
  /** Where it is in the sandbox. */
  at: string;
  /** Paths of the sandbox below it, absolute; all changes if not given. */
  paths?: string[];
  /** Whether guarded paths go along: files that programs of the host run or obey, such as `.git/hooks` and `.envrc`. */
  allowGuarded?: boolean;
  /** Whether to apply what can be applied even if something else is refused. */
  partial?: boolean;
  /** What becomes of files that both the sandbox and the host have changed; `merge` if not given. */
  resolve?: Resolve;
  /** Whether to apply also what `.gitignore` names. */
  all?: boolean;
  /** Patterns of paths to leave out, written as in `.gitignore`. */
  exclude?: string[];
  /** Whether only to say what would be done. */
  dryRun?: boolean;
}

/** What becomes of files that both the sandbox and the host have changed. */
export type Resolve =
  /** Texts are merged by lines; where that cannot be done the change is refused. */
  | "merge"
  /** As `merge`, but in a conflict the host's lines or file stay; the sandbox's are lost. */
  | "ours"
  /** As `merge`, but in a conflict the sandbox's are taken; the host's are lost. */
  | "theirs"
  /** The sandbox's files and repositories of git are taken whole; what the host has done to them since is lost. */
  | "force";

/** What became of changes. */
export interface AppliedOutput {
  /** Whether anything was written: not if something was refused, unless `partial`. */
  done: boolean;
  /** What the host has now, or would have if it were done. */
  applied: MountChange[];
  /** Paths among them that hold what both the sandbox and the host have changed. */
  merged?: string[];
  /** What was refused. */
  refused: RefusedChange[];
  /** What is lost by `resolve`. */
  lost?: LostChange[];
  /** How many changes are left out because `.gitignore` or `exclude` names them. */
  ignored?: number;
}

/** A change that was refused. */
export interface RefusedChange {
  /** The path in the sandbox. */
  path: string;
  /** What was to happen to it. */
  kind: ChangeKind;
  /** Why not. */
  why: string;
  /** Whether it would be applied with `allowGuarded`. */
  guarded: boolean;
  /** Where it leads, if it is a symbolic link. */
  target?: string;
}

/** What the resolution of a conflict loses. */
export interface LostChange {
  /** The path in the sandbox. */
  path: string;
  /** What of it. */
  what: string;
}

/** Which paths of which mount. */
export interface MountPathsParams {
  /** Where it is in the sandbox. */
  at: string;
  /** Paths of the sandbox below it, absolute; all changes if not given. */
  paths?: string[];
}

/** Changes of an overlay that are forgotten. */
export interface DiscardedOutput {
  /** Each of them. */
  changes: MountChange[];
}

/** What to look up. */
export interface CheckParams {
  /** The URL. */
  url: string;
  /** The method; `GET` if not given. */
  method?: string;
}

/** Whether something may be reached. */
export interface NetworkAccess {
  /** Whether it may. */
  allowed: boolean;
  /** The rule that allows it, or denies it. */
  rule?: string;
  /** Why it is denied, in the words that the program is told; or would be, if it is only reported. */
  reason?: string;
  /** What would allow it. */
  ask?: string;
}

/** What a sandbox may reach from now on. */
export interface NetworkSetParams {
  /** All of it: what it was before does not count any more. */
  network: Network;
}

/** What was asked of the network lately. */
export interface NetworkLogOutput {
  /** Each request and each denial. */
  entries: NetworkEntry[];
}

/** A request that has ended, or something that was denied. */
export interface NetworkEntry {
  /** The sandbox, or its fork; none if it is gone. */
  sandboxId?: string;
  /** The run that it belongs to; 0 for a program that no script has started. */
  run: number;
  /** The program. */
  command: string;
  /** What became of it. */
  outcome: NetworkOutcome;
  /** The method, if there is one. */
  method?: string;
  /** The URL, without a user and with the names of its query only. */
  url: string;
  /** The rule that decided, if one did. */
  rule?: string;
  /** Why it was denied or failed, in the words that the program was told. */
  reason?: string;
  /** The status of the reply. */
  status?: number;
  /** Bytes of the reply. */
  bytesIn: number;
  /** Bytes of the request. */
  bytesOut: number;
  /** How long it took, in milliseconds. */
  totalMs: number;
  /** Whether any certificate of the server was taken, as a rule with `insecure` has it. */
  insecure: boolean;
  /** The names of the secrets that were put in, or were stopped. */
  secrets: string[];
}

/** What became of a request. */
export type NetworkOutcome =
  /** It was allowed, and has ended. */
  | "done"
  /** It was allowed, and failed. */
  | "failed"
  /** It was denied. */
  | "denied"
  /** It carried the placeholder of a secret to a stranger, and was denied. */
  | "leak";

/** The processes of a sandbox. */
export interface JobsOutput {
  /** Each of them. */
  jobs: Job[];
}

/** A process. */
export interface Job {
  /** Its number. */
  pid: number;
  /** Its group. */
  group: number;
  /** Its parent. */
  parent: number;
  /** Its command line. */
  command: string;
  /** What it is doing. */
  state: JobState;
  /** How long it has been there, in milliseconds. */
  ageMs: number;
  /** How long its code has run, in milliseconds. */
  cpuMs: number;
  /** Its memory in bytes. */
  memory: number;
}

/** What a process is doing. */
export type JobState =
  /** It runs or could. */
  | "running"
  /** It waits for something. */
  | "waiting"
  /** It was stopped. */
  | "stopped"
  /** It has ended, and its status has not been collected. */
  | "ended";

/** Which signal goes where. */
export interface SignalParams {
  /** The process. */
  pid: number;
  /** The signal's name, with or without SIG; TERM if not given. */
  signal?: string;
}

/** A save. */
export interface SavedOutput {
  /** The version's number, from 1. */
  sequence: number;
  /** Bytes that were written. */
  written: number;
}

/** A version of a state. */
export interface VersionOutput {
  /** Its number, from 1; it grows with each save. */
  sequence: number;
}

/** How to export. */
export interface ExportParams {
  /** A key of 32 bytes in base64, to encrypt it. */
  key?: string;
}

/** A state. */
export interface ExportOutput {
  /** The state, in base64. */
  base64: string;
}

/** What to import. */
export interface ImportParams {
  /** The state, in base64. */
  base64: string;
  /** The key that it was encrypted with, in base64. */
  key?: string;
}

/** A number of a state. */
export interface HashOutput {
  /** BLAKE3, in hexadecimal. */
  hash: string;
}

/** The states that are kept. */
export interface StatesListOutput {
  /** One for each namespace, by name. */
  states: SavedState[];
}

/** What is kept in a namespace. */
export interface SavedState {
  /** The namespace. */
  namespace: string;
  /** Bytes that it takes, older versions included. */
  bytes: number;
  /** When it was saved last, in milliseconds since 1970. */
  changedMs: number;
}

/** Which namespace. */
export interface NamespaceParams {
  /** The namespace. */
  namespace: string;
}

/** The commands of a sandbox. */
export interface CommandsOutput {
  /** Their names, sorted. */
  commands: string[];
}

/** A command that the client answers. */
export interface RegisterParams {
  /** Its name. */
  name: string;
  /** Further names. */
  aliases?: string[];
  /** What it does, for `help`. */
  description?: string;
  /** How it is called, for `help`. */
  usage?: string;
}

/** Output of a command that runs. */
export interface OutputEvent {
  /** The sandbox. */
  sandboxId: string;
  /** The run, as its `run` call named it. */
  runId: string;
  /** Which stream. */
  stream: OutputStream;
  /** The bytes, if they are UTF-8. */
  text?: string;
  /** The bytes in base64, if they are not. */
  base64?: string;
}

/** Which stream output is from. */
export type OutputStream =
  /** Standard output. */
  | "stdout"
  /** Standard error. */
  | "stderr";

/** A call of a command that the client registered. */
export interface CommandCall {
  /** The sandbox that calls. */
  sandboxId: string;
  /** The command's name, or its alias if it was called by one. */
  name: string;
  /** Its arguments, without the name. */
  arguments: string[];
  /** The working directory. */
  cwd: string;
  /** The environment. */
  env: Record<string, string>;
  /** What it reads, whole, if it is UTF-8. */
  stdin?: string;
  /** What it reads in base64, if it is not. */
  stdinBase64?: string;
}

/** What a client's command answers. */
export interface CommandReply {
  /** Its status; 0 if nothing is said. */
  exitCode?: number;
  /** What it prints. */
  stdout?: string;
  /** What it prints, in base64, where that is not text. */
  stdoutBase64?: string;
  /** What it complains about. */
  stderr?: string;
}

/** A request to the network that the client decides about. */
export interface NetworkRequest {
  /** The word that the client has given with the network. */
  ask: string;
  /** The sandbox. */
  sandboxId: string;
  /** The run that it belongs to; 0 for a program that no script has started. */
  run: number;
  /** The program. */
  command: string;
  /** The number of the request in the sandbox. */
  id: number;
  /** The method; none for a connection that is no HTTP. */
  method?: string;
  /** The whole URL, with placeholders for secrets. */
  url: string;
  /** The host. */
  host: string;
  /** The port. */
  port: number;
  /** The header fields, with placeholders for secrets. */
  headers: HeaderField[];
  /** The length of the body, if that is known. */
  bodyBytes?: number;
}

/** A field of a head. */
export interface HeaderField {
  /** Its name. */
  name: string;
  /** Its value; what is not UTF-8 is replaced. */
  value: string;
}

/** What the client decides. */
export interface NetworkReply {
  /** What becomes of it. */
  decision: Decision;
  /** Why it is denied, for the program inside. */
  reason?: string;
  /** The status of an answer, from 200 to 599; 200 if not given. */
  status?: number;
  /** The header fields of an answer. */
  headers?: HeaderField[];
  /** The body of an answer. */
  body?: string;
  /** The body in base64, where it is not text. */
  bodyBase64?: string;
}

/** What becomes of a request. */
export type Decision =
  /** It goes on. */
  | "allow"
  /** It is denied. */
  | "deny"
  /** It is answered by the client. */
  | "respond";

/** An error on its way to a client: the `error` of a JSON-RPC answer, and the body of an HTTP one. */
export interface ApiError {
  /** JSON-RPC's number of the kind. */
  code: number;
  /** What is wrong, for people. */
  message: string;
  /** More, for programs. */
  data: ErrorData;
}

/** What programs match on. */
export interface ErrorData {
  /** What kind of error it is. */
  kind: ErrorKind;
  /** What to do about it. */
  hint: string;
  /** The error's name where a file or a process is the cause: `ENOENT`. */
  errno?: string;
}

/** What went wrong. */
export type ErrorKind =
  /** The frame or body is not JSON. */
  | "parse_error"
  /** The JSON is not a request. */
  | "invalid_request"
  /** There is no such method. */
  | "method_not_found"
  /** A parameter is missing, unknown or of the wrong type, or its value makes no sense. */
  | "invalid_params"
  /** A fault in codepod itself. */
  | "internal"
  /** There is no such sandbox, snapshot, preview, run or shell, or it belongs to another tenant. */
  | "not_found"
  /** Running processes prevent the operation. */
  | "busy"
  /** The state that the operation started from has changed. */
  | "changed"
  /** A file operation failed; `errno` says how. */
  | "file"
  /** A program could not be started; `errno` says why. */
  | "spawn"
  /** A host directory cannot be mounted. */
  | "mount"
  /** Fewer runs are kept than were asked for. */
  | "no_such_run"
  /** The snapshot or fork is of another sandbox. */
  | "foreign"
  /** Some changes are on the host, and one was refused because the host changed it meanwhile. */
  | "partly_applied"
  /** A process cannot be signalled; `errno` says why. */
  | "process"
  /** A shell cannot go on from its state. */
  | "shell_state"
  /** A state cannot be saved or loaded. */
  | "state"
  /** The sandbox's persistence does not allow that. */
  | "not_persistent"
  /** A limit or a quota is reached. */
  | "limit"
  /** The policy of the server does not allow it. */
  | "denied"
  /** There is no valid key. */
  | "unauthorized"
  /** The request or its answer is too large. */
  | "too_large"
  /** The machine lacks something that codepod needs. */
  | "unavailable"
  /** This surface cannot do that. */
  | "unsupported"
  /** Nothing in the sandbox answers at that port. */
  | "no_server";

/** The parameters and the result of each method. */
export interface Methods {
  /** Says which version this is and which methods there are. */
  "server.info": { params: Empty; output: ServerInfoOutput };
  /** Makes a sandbox. Every option has a default; without any it has no network, no host directory and 256 MB. */
  "sandbox.create": { params: CreateParams; output: SandboxInfo };
  /** Lists the sandboxes that are alive, in the order in which they were made. */
  "sandbox.list": { params: Empty; output: SandboxListOutput };
  /** Says what a sandbox is. */
  "sandbox.get": { params: Empty; output: SandboxInfo };
  /** Makes another sandbox with the same files, shells and limits, in microseconds. Neither sees what the other does next. */
  "sandbox.fork": { params: Empty; output: SandboxInfo };
  /** Ends a sandbox: its processes are killed, its files are gone unless they are kept. */
  "sandbox.destroy": { params: Empty; output: Done };
  /** Makes a sandbox what a fork of it is, in constant time. It can be undone as a run can. */
  "sandbox.adopt": { params: AdoptParams; output: Done };
  /**
   * Takes what a fork changed since a snapshot, file by file. Where both changed a file differently, ours stays and the file is
   * reported.
   */
  "sandbox.merge": { params: MergeParams; output: MergeOutput };
  /** Kills every process of a sandbox. Its shells go on from their last states. */
  "sandbox.kill": { params: Empty; output: Done };
  /** Says what a sandbox uses now and has used so far. */
  "sandbox.stats": { params: Empty; output: StatsOutput };
  /**
   * Runs a bash script in the sandbox and waits for its end. Variables, functions and the working directory stay for the next
   * one.
   */
  "run": { params: RunParams; output: RunOutput };
  /**
   * Takes back the last steps: files, variables and working directory are as before them. A step is a run, or a method that
   * changed files, such as `files.write`.
   */
  "undo": { params: UndoParams; output: UndoOutput };
  /** Does again the steps that were undone. */
  "redo": { params: UndoParams; output: UndoOutput };
  /** Lists what differs between two moments: files added, modified, removed, with a unified diff on request. */
  "changes": { params: ChangesParams; output: ChangesOutput };
  /**
   * Starts a bash script in the background and returns at once. It runs in a shell of its own, which begins as a copy of the one
   * that it is started from. `run.output` gives what it prints, `run.stdin` gives it input, `run.cancel` ends it.
   */
  "run.start": { params: StartParams; output: StartOutput };
  /**
   * Gives what a background run has printed since the last call, or since a place. An ended run is kept until 16 others have
   * ended after it.
   */
  "run.output": { params: SinceParams; output: SinceOutput };
  /** Gives a background run, or one that reads interactively, more to read. */
  "run.stdin": { params: StdinParams; output: Done };
  /** Ends a run. Its own answer comes as usual, with status 130 and what it printed so far. */
  "run.cancel": { params: CancelParams; output: Done };
  /**
   * Runs Python code in a session and waits for its end. Variables, functions and modules stay for the next call, and what the
   * last line gives is printed. The session is forked, snapshotted, undone and saved with the sandbox.
   */
  "python.run": { params: SessionRunParams; output: RunOutput };
  /** Resets a session: its next call starts a new interpreter. */
  "python.reset": { params: SessionResetParams; output: Done };
  /**
   * Runs JavaScript in a session of Node and waits for its end: until no timer, promise or child is left to wait for. What it
   * declares stays for the next call and may be declared again, `await` works outside of functions, and what the last statement
   * gives is printed. The session is forked, snapshotted, undone and saved with the sandbox. Needs the part `js`.
   */
  "js.run": { params: SessionRunParams; output: RunOutput };
  /** Resets a session: its next call starts Node anew. */
  "js.reset": { params: SessionResetParams; output: Done };
  /** Reads a file, or a part of it. */
  "files.read": { params: ReadParams; output: ReadOutput };
  /** Writes a file: makes it or replaces what it holds. Directories above it are made. */
  "files.write": { params: WriteParams; output: Done };
  /**
   * Replaces text in a file: every edit, in their order, or none. What is replaced must be there exactly once, unless `all` is
   * set.
   */
  "files.edit": { params: EditParams; output: EditOutput };
  /**
   * Searches files for lines by a regular expression, as ripgrep does: files that `.gitignore` names and binary files are left
   * out.
   */
  "files.grep": { params: GrepParams; output: GrepOutput };
  /** Lists files by a pattern for their paths, sorted. Files that `.gitignore` names are left out. */
  "files.glob": { params: GlobParams; output: GlobOutput };
  /** Lists a directory, sorted by name. */
  "files.list": { params: PathParams; output: ListOutput };
  /** Says what a path is. A symbolic link at its end is followed. */
  "files.stat": { params: PathParams; output: Stat };
  /** Makes a directory, and those above it that are missing. */
  "files.mkdir": { params: PathParams; output: Done };
  /** Removes a file, or a directory with all that is in it. */
  "files.remove": { params: PathParams; output: Done };
  /** Gives a file or a directory another name; what has that name is replaced. */
  "files.rename": { params: RenameParams; output: Done };
  /** Sets the mode bits of a path. */
  "files.chmod": { params: ChmodParams; output: Done };
  /** Puts single paths back to what they were at a moment, and leaves the rest as it is. */
  "files.restore": { params: RestoreParams; output: Done };
  /** Lists the exported variables of a shell. */
  "env.get": { params: EnvGetParams; output: EnvGetOutput };
  /** Exports variables in a shell, for all that it runs from now on. */
  "env.set": { params: EnvSetParams; output: Done };
  /** Makes a shell with variables and a working directory of its own; it starts with its first run. */
  "shell.create": { params: ShellCreateParams; output: ShellCreateOutput };
  /** Lists the shells that have run something. */
  "shell.list": { params: Empty; output: ShellListOutput };
  /** Ends a shell: its EXIT trap runs, its variables are gone. */
  "shell.close": { params: ShellCloseParams; output: Done };
  /** Says what could stand at a place in a command line: commands, paths, variables. */
  "shell.complete": { params: CompleteParams; output: CompleteOutput };
  /** Lists the steps that are kept, the oldest first: runs, and changes of files by methods. */
  "shell.history.list": { params: Empty; output: HistoryOutput };
  /** Forgets the steps that are kept; they cannot be undone any more. */
  "shell.history.clear": { params: Empty; output: Done };
  /** Keeps the files and shells as they are now, in microseconds. */
  "snapshot.create": { params: Empty; output: SnapshotInfo };
  /** Puts files and shells back to a snapshot; it can be used again. */
  "snapshot.restore": { params: SnapshotParams; output: Done };
  /** Lists the snapshots of a sandbox, the oldest first. */
  "snapshot.list": { params: Empty; output: SnapshotListOutput };
  /** Forgets a snapshot. */
  "snapshot.remove": { params: SnapshotParams; output: Done };
  /** Runs a script in a fork and says what it would change. The sandbox and the host stay as they are until it is committed. */
  "preview.run": { params: RunParams; output: PreviewOutput };
  /** Makes a preview happen, in constant time, if the sandbox has not changed since. */
  "preview.commit": { params: PreviewParams; output: RunOutput };
  /** Drops a preview: nothing of it has happened. */
  "preview.drop": { params: PreviewParams; output: Done };
  /** Lists the host directories of a sandbox. The host's own paths are not told. */
  "mounts.list": { params: Empty; output: MountsOutput };
  /** Lists what was changed in an overlay and is not on the host. */
  "mounts.changes": { params: MountChangesParams; output: MountChangesOutput };
  /**
   * Makes changes of an overlay on the host: all of them, or nothing if one is refused. Text that the host changed since the
   * sandbox saw it is merged. Refused are what cannot be merged, guarded paths unless they are allowed, and links that lead out
   * of the directory.
   */
  "mounts.apply": { params: MountApplyParams; output: AppliedOutput };
  /** Forgets changes of an overlay: the sandbox sees the host's files again. */
  "mounts.discard": { params: MountPathsParams; output: DiscardedOutput };
  /**
   * Says whether a program in the sandbox may use a URL now, and if not, why and what would allow it. Nothing is sent, counted or
   * reported.
   */
  "network.check": { params: CheckParams; output: NetworkAccess };
  /**
   * Sets what a sandbox may reach, and its secrets. What is under way ends as it was allowed; the next request of an open
   * connection is decided anew. What was used stays counted.
   */
  "network.set": { params: NetworkSetParams; output: Done };
  /**
   * Lists what the sandbox and its forks asked of the network lately, what became of it and why: the last 256 of it, of which the
   * oldest comes first.
   */
  "network.log": { params: Empty; output: NetworkLogOutput };
  /** Lists the processes of a sandbox. */
  "jobs.list": { params: Empty; output: JobsOutput };
  /** Sends a signal to a process. */
  "jobs.signal": { params: SignalParams; output: Done };
  /** Saves a persistent sandbox now, instead of within its autosave time. */
  "persistence.save": { params: Empty; output: SavedOutput };
  /** Puts a persistent sandbox back to what was saved last. */
  "persistence.load": { params: Empty; output: VersionOutput };
  /** Gives the whole state as bytes that `persistence.import` takes, here or elsewhere. */
  "persistence.export": { params: ExportParams; output: ExportOutput };
  /** Makes the sandbox what an exported state says. What is broken, too large or hostile is refused without effect. */
  "persistence.import": { params: ImportParams; output: VersionOutput };
  /** Gives a number of the state: equal for equal files and shells. */
  "persistence.hash": { params: Empty; output: HashOutput };
  /** Lists the states that are kept for persistent sandboxes, by namespace. */
  "states.list": { params: Empty; output: StatesListOutput };
  /** Removes the states of a namespace for good. Refused while a sandbox has it. */
  "states.remove": { params: NamespaceParams; output: Done };
  /** Lists the commands of a sandbox. */
  "commands.list": { params: Empty; output: CommandsOutput };
  /** Adds a command that the client answers: calls of it come as requests `command.call` on the same connection. */
  "commands.register": { params: RegisterParams; output: Done };
}

/** Where a method is in HTTP; `{sandbox}` stands for the sandbox. Parameters of GET and DELETE are in the query. */
export interface Route {
  verb: "GET" | "POST" | "PUT" | "DELETE";
  path: string;
}

/** The route of each method. */
export const ROUTES: Readonly<Record<keyof Methods, Route>> = {
  "server.info": { verb: "GET", path: "/v1/info" },
  "sandbox.create": { verb: "POST", path: "/v1/sandboxes" },
  "sandbox.list": { verb: "GET", path: "/v1/sandboxes" },
  "sandbox.get": { verb: "GET", path: "/v1/sandboxes/{sandbox}" },
  "sandbox.fork": { verb: "POST", path: "/v1/sandboxes/{sandbox}/fork" },
  "sandbox.destroy": { verb: "DELETE", path: "/v1/sandboxes/{sandbox}" },
  "sandbox.adopt": { verb: "POST", path: "/v1/sandboxes/{sandbox}/adopt" },
  "sandbox.merge": { verb: "POST", path: "/v1/sandboxes/{sandbox}/merge" },
  "sandbox.kill": { verb: "POST", path: "/v1/sandboxes/{sandbox}/kill" },
  "sandbox.stats": { verb: "GET", path: "/v1/sandboxes/{sandbox}/stats" },
  "run": { verb: "POST", path: "/v1/sandboxes/{sandbox}/run" },
  "run.start": { verb: "POST", path: "/v1/sandboxes/{sandbox}/runs" },
  "run.output": { verb: "GET", path: "/v1/sandboxes/{sandbox}/runs/output" },
  "run.stdin": { verb: "POST", path: "/v1/sandboxes/{sandbox}/stdin" },
  "run.cancel": { verb: "POST", path: "/v1/sandboxes/{sandbox}/cancel" },
  "python.run": { verb: "POST", path: "/v1/sandboxes/{sandbox}/python" },
  "python.reset": { verb: "DELETE", path: "/v1/sandboxes/{sandbox}/python" },
  "js.run": { verb: "POST", path: "/v1/sandboxes/{sandbox}/js" },
  "js.reset": { verb: "DELETE", path: "/v1/sandboxes/{sandbox}/js" },
  "files.read": { verb: "GET", path: "/v1/sandboxes/{sandbox}/files" },
  "files.write": { verb: "PUT", path: "/v1/sandboxes/{sandbox}/files" },
  "files.edit": { verb: "POST", path: "/v1/sandboxes/{sandbox}/files/edit" },
  "files.grep": { verb: "GET", path: "/v1/sandboxes/{sandbox}/grep" },
  "files.glob": { verb: "GET", path: "/v1/sandboxes/{sandbox}/glob" },
  "files.list": { verb: "GET", path: "/v1/sandboxes/{sandbox}/directory" },
  "files.stat": { verb: "GET", path: "/v1/sandboxes/{sandbox}/stat" },
  "files.mkdir": { verb: "POST", path: "/v1/sandboxes/{sandbox}/directory" },
  "files.remove": { verb: "DELETE", path: "/v1/sandboxes/{sandbox}/files" },
  "files.rename": { verb: "POST", path: "/v1/sandboxes/{sandbox}/rename" },
  "files.chmod": { verb: "POST", path: "/v1/sandboxes/{sandbox}/chmod" },
  "files.restore": { verb: "POST", path: "/v1/sandboxes/{sandbox}/files/restore" },
  "env.get": { verb: "GET", path: "/v1/sandboxes/{sandbox}/env" },
  "env.set": { verb: "PUT", path: "/v1/sandboxes/{sandbox}/env" },
  "shell.create": { verb: "POST", path: "/v1/sandboxes/{sandbox}/shells" },
  "shell.list": { verb: "GET", path: "/v1/sandboxes/{sandbox}/shells" },
  "shell.close": { verb: "DELETE", path: "/v1/sandboxes/{sandbox}/shells" },
  "shell.history.list": { verb: "GET", path: "/v1/sandboxes/{sandbox}/history" },
  "shell.history.clear": { verb: "DELETE", path: "/v1/sandboxes/{sandbox}/history" },
  "shell.complete": { verb: "GET", path: "/v1/sandboxes/{sandbox}/complete" },
  "snapshot.create": { verb: "POST", path: "/v1/sandboxes/{sandbox}/snapshots" },
  "snapshot.restore": { verb: "POST", path: "/v1/sandboxes/{sandbox}/snapshots/restore" },
  "snapshot.list": { verb: "GET", path: "/v1/sandboxes/{sandbox}/snapshots" },
  "snapshot.remove": { verb: "DELETE", path: "/v1/sandboxes/{sandbox}/snapshots" },
  "undo": { verb: "POST", path: "/v1/sandboxes/{sandbox}/undo" },
  "redo": { verb: "POST", path: "/v1/sandboxes/{sandbox}/redo" },
  "changes": { verb: "GET", path: "/v1/sandboxes/{sandbox}/changes" },
  "preview.run": { verb: "POST", path: "/v1/sandboxes/{sandbox}/previews" },
  "preview.commit": { verb: "POST", path: "/v1/sandboxes/{sandbox}/previews/commit" },
  "preview.drop": { verb: "DELETE", path: "/v1/sandboxes/{sandbox}/previews" },
  "mounts.list": { verb: "GET", path: "/v1/sandboxes/{sandbox}/mounts" },
  "mounts.changes": { verb: "GET", path: "/v1/sandboxes/{sandbox}/mounts/changes" },
  "mounts.apply": { verb: "POST", path: "/v1/sandboxes/{sandbox}/mounts/apply" },
  "mounts.discard": { verb: "POST", path: "/v1/sandboxes/{sandbox}/mounts/discard" },
  "network.check": { verb: "GET", path: "/v1/sandboxes/{sandbox}/network/check" },
  "network.set": { verb: "PUT", path: "/v1/sandboxes/{sandbox}/network" },
  "network.log": { verb: "GET", path: "/v1/sandboxes/{sandbox}/network/log" },
  "jobs.list": { verb: "GET", path: "/v1/sandboxes/{sandbox}/jobs" },
  "jobs.signal": { verb: "POST", path: "/v1/sandboxes/{sandbox}/jobs/signal" },
  "persistence.save": { verb: "POST", path: "/v1/sandboxes/{sandbox}/save" },
  "persistence.load": { verb: "POST", path: "/v1/sandboxes/{sandbox}/load" },
  "persistence.export": { verb: "POST", path: "/v1/sandboxes/{sandbox}/export" },
  "persistence.import": { verb: "POST", path: "/v1/sandboxes/{sandbox}/import" },
  "persistence.hash": { verb: "GET", path: "/v1/sandboxes/{sandbox}/hash" },
  "states.list": { verb: "GET", path: "/v1/states" },
  "states.remove": { verb: "DELETE", path: "/v1/states" },
  "commands.list": { verb: "GET", path: "/v1/sandboxes/{sandbox}/commands" },
  "commands.register": { verb: "POST", path: "/v1/sandboxes/{sandbox}/commands" },
};

/** What a call does that is not answered at once: it runs something, with output while it runs or without, feeds a run, cancels one,
 * or moves a state. */
export const WORK = {
  "run": "streams",
  "run.output": "feeds",
  "run.stdin": "feeds",
  "run.cancel": "cancels",
  "python.run": "streams",
  "js.run": "streams",
  "preview.run": "runs",
  "persistence.export": "exports",
  "persistence.import": "imports",
} as const satisfies Partial<Record<keyof Methods, string>>;

/** Methods whose output can come while they run. */
export type StreamingMethod = "run" | "python.run" | "js.run";

/** A method as models see it: names in snake_case, and only what a model can decide. */
export interface ToolInfo {
  name: string;
  method: keyof Methods;
  description: string;
  inputSchema: Record<string, unknown>;
  /** The fields of the result that a model is told, always and where they say something; all if missing. */
  fields?: { always: readonly string[]; notes: readonly string[] };
  /** The parameter that says how much comes back: what it is if a model does not say, and at most. */
  bounds?: { name: string; usual: number; most: number };
}

/** Every method that models have as a tool. */
export const TOOLS: readonly ToolInfo[] = [
  {
    name: "fork",
    method: "sandbox.fork",
    description:
      "Make an independent copy of the sandbox in microseconds: same files, variables and working directory. Use it to try an approach without risk: pass the returned `sandbox_id` to other tools to act in the copy. The original is not touched. Copies end with the session.",
    inputSchema: {
      "type": "object",
      "properties": {
        "sandbox_id": {
          "type": "string",
          "description": "From `fork`; your own if not given."
        }
      },
      "required": [],
      "additionalProperties": false
    },
  },
  {
    name: "run",
    method: "run",
    description:
      "Run a bash script in the sandbox and return exit_code, stdout and stderr. It is bash 5.2 with GNU coreutils, grep, sed, awk, find, git, jq, sqlite3, tar, make and more; `help` lists the commands. Files, variables and the working directory stay for the next call. There is no network, root, package manager, compiler, perl or editor: `help --absent` says what to use instead. Nothing outside the sandbox can be reached. Long output is cut in the middle: the result says so and names a file in the sandbox that holds all of it. Every call can be taken back with `undo`.",
    inputSchema: {
      "type": "object",
      "properties": {
        "command": {
          "type": "string",
          "description": "The script, as bash reads it."
        },
        "shell": {
          "type": "string",
          "description": "The shell to run it in; the main one if not given."
        },
        "cwd": {
          "type": "string",
          "description": "The directory that it runs in; afterwards the shell is where it was. If not given, it runs where the shell is."
        },
        "stdin": {
          "type": "string",
          "description": "What it reads."
        },
        "env": {
          "type": "object",
          "additionalProperties": {
            "type": "string"
          },
          "description": "Variables that are exported to this script only."
        },
        "arguments": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "`$1`, `$2`, … for this script only."
        },
        "timeout_ms": {
          "type": "integer",
          "format": "uint64",
          "minimum": 0,
          "description": "How long it may take, in milliseconds; as the sandbox says if not given, and as long as the server allows if 0."
        },
        "output_budget": {
          "type": "integer",
          "format": "uint64",
          "minimum": 0,
          "description": "Bytes of each output stream that the result holds; as the sandbox says if not given."
        },
        "sandbox_id": {
          "type": "string",
          "description": "From `fork`; your own if not given."
        }
      },
      "required": [
        "command"
      ],
      "additionalProperties": false
    },
    fields: { always: ["exit_code","stdout","stderr","execution_time_ms"], notes: ["stdout_cut","stderr_cut","truncated","timed_out","cancelled","crashed"] },
    bounds: { name: "output_budget", usual: 16384, most: 1048576 },
  },
  {
    name: "start",
    method: "run.start",
    description:
      "Start a bash script in the background, in a copy of your shell, and return its run_id at once. For servers, watchers and whatever takes long. Go on with `output`, `stdin` and `kill`.",
    inputSchema: {
      "type": "object",
      "properties": {
        "command": {
          "type": "string",
          "description": "The script, as bash reads it."
        },
        "shell": {
          "type": "string",
          "description": "The shell whose variables and working directory it begins with; the main one if not given."
        },
        "cwd": {
          "type": "string",
          "description": "The directory that it runs in; where the shell is if not given."
        },
        "env": {
          "type": "object",
          "additionalProperties": {
            "type": "string"
          },
          "description": "Variables that are exported to it."
        },
        "arguments": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "`$1`, `$2`, …"
        },
        "timeout_ms": {
          "type": "integer",
          "format": "uint64",
          "minimum": 0,
          "description": "How long it may take, in milliseconds; an hour if not given."
        },
        "sandbox_id": {
          "type": "string",
          "description": "From `fork`; your own if not given."
        }
      },
      "required": [
        "command"
      ],
      "additionalProperties": false
    },
  },
  {
    name: "output",
    method: "run.output",
    description:
      "Get what a background run printed since the last call; `wait_ms` waits for more or for its end.",
    inputSchema: {
      "type": "object",
      "properties": {
        "run_id": {
          "type": "string",
          "description": "The run, as the call that started it named it."
        },
        "since": {
          "type": "integer",
          "format": "uint64",
          "minimum": 0,
          "description": "The first byte, of both streams together; where the last call ended if not given."
        },
        "wait_ms": {
          "type": "integer",
          "format": "uint64",
          "minimum": 0,
          "description": "How long to wait for output or its end, in milliseconds, 60000 at most; not at all if not given."
        },
        "length": {
          "type": "integer",
          "format": "uint64",
          "minimum": 0,
          "description": "How many bytes at most; all that is kept if not given."
        },
        "sandbox_id": {
          "type": "string",
          "description": "From `fork`; your own if not given."
        }
      },
      "required": [
        "run_id"
      ],
      "additionalProperties": false
    },
    bounds: { name: "length", usual: 16384, most: 1048576 },
  },
  {
    name: "stdin",
    method: "run.stdin",
    description:
      "Give a background run more to read; `end` closes its input.",
    inputSchema: {
      "type": "object",
      "properties": {
        "run_id": {
          "type": "string",
          "description": "The run, as the call that started it named it."
        },
        "text": {
          "type": "string",
          "description": "What it reads next."
        },
        "base64": {
          "type": "string",
          "description": "What it reads next, in base64, where that is not text.",
          "contentEncoding": "base64"
        },
        "end": {
          "type": "boolean",
          "description": "Whether that was all."
        },
        "sandbox_id": {
          "type": "string",
          "description": "From `fork`; your own if not given."
        }
      },
      "required": [
        "run_id"
      ],
      "additionalProperties": false
    },
  },
  {
    name: "kill",
    method: "run.cancel",
    description:
      "End a background run and all that it started.",
    inputSchema: {
      "type": "object",
      "properties": {
        "run_id": {
          "type": "string",
          "description": "The run, as the call that started it named it."
        },
        "sandbox_id": {
          "type": "string",
          "description": "From `fork`; your own if not given."
        }
      },
      "required": [
        "run_id"
      ],
      "additionalProperties": false
    },
  },
  {
    name: "python",
    method: "python.run",
    description:
      "Run Python code in the sandbox and return exit_code, stdout and stderr. It is CPython 3.14 with numpy, pandas, matplotlib, sqlite3, requests, pyyaml, openpyxl and pytest. Variables, functions and imported modules stay for the next call; the value of the last line is printed, as in an interactive interpreter. It has the same files as `run` and can start its commands with subprocess. After an exception or a timeout the session goes on. Threads take turns: they overlap while they sleep or wait, but a thread must not loop until another stops it. Every call can be taken back with `undo`.",
    inputSchema: {
      "type": "object",
      "properties": {
        "code": {
          "type": "string",
          "description": "The code."
        },
        "session": {
          "type": "string",
          "description": "The session to run it in, which begins with its first call; `main` if not given. Letters, digits, `_` and `-`."
        },
        "stdin": {
          "type": "string",
          "description": "What it reads."
        },
        "timeout_ms": {
          "type": "integer",
          "format": "uint64",
          "minimum": 0,
          "description": "How long it may take, in milliseconds; as the sandbox says if not given, and as long as the server allows if 0. Code that takes longer leaves the session as it was."
        },
        "output_budget": {
          "type": "integer",
          "format": "uint64",
          "minimum": 0,
          "description": "Bytes of each output stream that the result holds; as the sandbox says if not given."
        },
        "sandbox_id": {
          "type": "string",
          "description": "From `fork`; your own if not given."
        }
      },
      "required": [
        "code"
      ],
      "additionalProperties": false
    },
    fields: { always: ["exit_code","stdout","stderr","execution_time_ms"], notes: ["stdout_cut","stderr_cut","truncated","timed_out","cancelled","crashed"] },
    bounds: { name: "output_budget", usual: 16384, most: 1048576 },
  },
  {
    name: "javascript",
    method: "js.run",
    description:
      "Run JavaScript in the sandbox and return exit_code, stdout and stderr. It is Node 24, as at its prompt: variables, functions and modules stay for the next call and can be declared again, `require`, `import` and top-level `await` work, and the value of the last statement is printed. It has the same files as `run`. After an exception, `process.exit` or a timeout the session goes on. Every call can be taken back with `undo`.",
    inputSchema: {
      "type": "object",
      "properties": {
        "code": {
          "type": "string",
          "description": "The code."
        },
        "session": {
          "type": "string",
          "description": "The session to run it in, which begins with its first call; `main` if not given. Letters, digits, `_` and `-`."
        },
        "stdin": {
          "type": "string",
          "description": "What it reads."
        },
        "timeout_ms": {
          "type": "integer",
          "format": "uint64",
          "minimum": 0,
          "description": "How long it may take, in milliseconds; as the sandbox says if not given, and as long as the server allows if 0. Code that takes longer leaves the session as it was."
        },
        "output_budget": {
          "type": "integer",
          "format": "uint64",
          "minimum": 0,
          "description": "Bytes of each output stream that the result holds; as the sandbox says if not given."
        },
        "sandbox_id": {
          "type": "string",
          "description": "From `fork`; your own if not given."
        }
      },
      "required": [
        "code"
      ],
      "additionalProperties": false
    },
    fields: { always: ["exit_code","stdout","stderr","execution_time_ms"], notes: ["stdout_cut","stderr_cut","truncated","timed_out","cancelled","crashed"] },
    bounds: { name: "output_budget", usual: 16384, most: 1048576 },
  },
  {
    name: "read",
    method: "files.read",
    description:
      "Read a text file, or lines of it by `line` and `lines`; `numbers` puts line numbers before them. A picture (PNG, JPEG, GIF, WebP) comes as an image. A long file comes in parts: the result says how to go on.",
    inputSchema: {
      "type": "object",
      "properties": {
        "path": {
          "type": "string",
          "description": "The path."
        },
        "offset": {
          "type": "integer",
          "format": "uint64",
          "minimum": 0,
          "description": "The first byte; the beginning if not given."
        },
        "length": {
          "type": "integer",
          "format": "uint64",
          "minimum": 0,
          "description": "How many bytes at most; to the end if not given."
        },
        "line": {
          "type": "integer",
          "format": "uint64",
          "minimum": 0,
          "description": "The first line, from 1; instead of `offset`."
        },
        "lines": {
          "type": "integer",
          "format": "uint64",
          "minimum": 0,
          "description": "How many lines at most."
        },
        "numbers": {
          "type": "boolean",
          "description": "Whether every line begins with its number and a tab, as `cat -n` prints it."
        },
        "sandbox_id": {
          "type": "string",
          "description": "From `fork`; your own if not given."
        }
      },
      "required": [
        "path"
      ],
      "additionalProperties": false
    },
    bounds: { name: "length", usual: 32768, most: 1048576 },
  },
  {
    name: "write",
    method: "files.write",
    description:
      "Write a file: it is made, with the directories above it, or what it holds is replaced. Give `text`, or `base64` for other bytes.",
    inputSchema: {
      "type": "object",
      "properties": {
        "path": {
          "type": "string",
          "description": "The path."
        },
        "text": {
          "type": "string",
          "description": "What it shall hold."
        },
        "base64": {
          "type": "string",
          "description": "What it shall hold, in base64, where that is not text.",
          "contentEncoding": "base64"
        },
        "parents": {
          "type": "boolean",
          "description": "Whether directories above it are made; they are if not given."
        },
        "sandbox_id": {
          "type": "string",
          "description": "From `fork`; your own if not given."
        }
      },
      "required": [
        "path"
      ],
      "additionalProperties": false
    },
  },
  {
    name: "edit",
    method: "files.edit",
    description:
      "Replace exact text in a file and return a diff. Each `old` must be there exactly once, unless its `all` is true. All edits are made, in order, or none.",
    inputSchema: {
      "type": "object",
      "properties": {
        "path": {
          "type": "string",
          "description": "The path."
        },
        "edits": {
          "type": "array",
          "items": {
            "type": "object",
            "additionalProperties": false,
            "properties": {
              "old": {
                "type": "string",
                "description": "The text that is there, to the letter."
              },
              "new": {
                "type": "string",
                "description": "What takes its place."
              },
              "all": {
                "type": "boolean",
                "description": "Whether every occurrence is replaced."
              }
            },
            "required": [
              "old",
              "new"
            ],
            "description": "A replacement."
          },
          "description": "The edits, at most 100; each sees what those before it left."
        },
        "sandbox_id": {
          "type": "string",
          "description": "From `fork`; your own if not given."
        }
      },
      "required": [
        "path",
        "edits"
      ],
      "additionalProperties": false
    },
  },
  {
    name: "grep",
    method: "files.grep",
    description:
      "Search files for lines that match a regular expression (ripgrep's), below `path`. Ignored and binary files are left out.",
    inputSchema: {
      "type": "object",
      "properties": {
        "pattern": {
          "type": "string",
          "description": "A regular expression."
        },
        "path": {
          "type": "string",
          "description": "A file or a directory; the working directory if not given."
        },
        "glob": {
          "type": "string",
          "description": "Only files whose path matches this, such as `*.py`."
        },
        "ignore_case": {
          "type": "boolean",
          "description": "Whether upper and lower case are the same."
        },
        "fixed": {
          "type": "boolean",
          "description": "Whether the pattern is plain text."
        },
        "all": {
          "type": "boolean",
          "description": "Whether ignored files are searched as well."
        },
        "limit": {
          "type": "integer",
          "format": "uint64",
          "minimum": 0,
          "description": "The most lines; 200 if not given, 5000 at most."
        },
        "sandbox_id": {
          "type": "string",
          "description": "From `fork`; your own if not given."
        }
      },
      "required": [
        "pattern"
      ],
      "additionalProperties": false
    },
  },
  {
    name: "glob",
    method: "files.glob",
    description:
      "List files whose path below `path` matches a pattern such as `**/*.py` or `src/*.{ts,tsx}`; without `/` it matches names in every directory. Ignored files are left out.",
    inputSchema: {
      "type": "object",
      "properties": {
        "pattern": {
          "type": "string",
          "description": "The pattern: `*` and `?` within a name, `**` across directories, `[a-z]`, `{a,b}`."
        },
        "path": {
          "type": "string",
          "description": "The directory; the working directory if not given."
        },
        "all": {
          "type": "boolean",
          "description": "Whether ignored files are listed as well."
        },
        "limit": {
          "type": "integer",
          "format": "uint64",
          "minimum": 0,
          "description": "The most paths; 1000 if not given, 10000 at most."
        },
        "sandbox_id": {
          "type": "string",
          "description": "From `fork`; your own if not given."
        }
      },
      "required": [
        "pattern"
      ],
      "additionalProperties": false
    },
  },
  {
    name: "list",
    method: "files.list",
    description:
      "List a directory: names and kinds, sorted.",
    inputSchema: {
      "type": "object",
      "properties": {
        "path": {
          "type": "string",
          "description": "The path."
        },
        "sandbox_id": {
          "type": "string",
          "description": "From `fork`; your own if not given."
        }
      },
      "required": [
        "path"
      ],
      "additionalProperties": false
    },
  },
  {
    name: "snapshot",
    method: "snapshot.create",
    description:
      "Keep the sandbox as it is now, in microseconds: files, variables, working directory. Returns an id for `restore`. Use it before something risky that takes several steps; for one step, `undo` is enough.",
    inputSchema: {
      "type": "object",
      "properties": {
        "sandbox_id": {
          "type": "string",
          "description": "From `fork`; your own if not given."
        }
      },
      "required": [],
      "additionalProperties": false
    },
  },
  {
    name: "restore",
    method: "snapshot.restore",
    description:
      "Put the sandbox back to a snapshot by its id. What was done since is gone; the snapshot can be restored again.",
    inputSchema: {
      "type": "object",
      "properties": {
        "id": {
          "type": "string",
          "description": "Its id."
        },
        "sandbox_id": {
          "type": "string",
          "description": "From `fork`; your own if not given."
        }
      },
      "required": [
        "id"
      ],
      "additionalProperties": false
    },
  },
  {
    name: "undo",
    method: "undo",
    description:
      "Take back the last step, or the last `count`: a `run`, `python`, `write` or `edit`. Files, variables and working directory are as before it. Says what was taken back, with its files.",
    inputSchema: {
      "type": "object",
      "properties": {
        "count": {
          "type": "integer",
          "format": "uint64",
          "minimum": 0,
          "description": "How many; one if not given."
        },
        "sandbox_id": {
          "type": "string",
          "description": "From `fork`; your own if not given."
        }
      },
      "required": [],
      "additionalProperties": false
    },
  },
  {
    name: "changes",
    method: "changes",
    description:
      "List the files that differ between two moments of the sandbox: added, modified, removed. Without parameters: what the last step changed. `diff` adds a unified diff.",
    inputSchema: {
      "type": "object",
      "properties": {
        "from": {
          "type": "string",
          "description": "The earlier moment: `before:3`, `after:3` (a run's number) or `snapshot:ID`; before the last step if not given."
        },
        "to": {
          "type": "string",
          "description": "The later moment, as `from`, or `now`; now if not given."
        },
        "diff": {
          "type": "boolean",
          "description": "Whether to add a unified diff."
        },
        "all": {
          "type": "boolean",
          "description": "Whether to tell also what `.gitignore` names, and each path in `.git`."
        },
        "exclude": {
          "type": "array",
          "items": {
            "type": "string"
          },
          "description": "Patterns of paths to leave out, written as in `.gitignore`."
        },
        "sandbox_id": {
          "type": "string",
          "description": "From `fork`; your own if not given."
        }
      },
      "required": [],
      "additionalProperties": false
    },
  },
];

/** Bytes of a list or a difference that a model is told. */
export const LIST_BYTES = 65536;
