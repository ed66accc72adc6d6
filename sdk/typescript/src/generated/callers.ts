// Made by `cargo xtask generate` from crates/codepod-api. Changes here are lost.

import { encode, fromBase64, toBase64, type Data } from "../bytes.js";
import { runMethod, RunStream, type RunResult, type RunStreams, type StreamStreams } from "../run.js";
import { OfSandbox } from "../scope.js";
import type {
  Network,
  Stat,
  StatsOutput,
  Edit,
  EditOutput,
  GrepOutput,
  GlobOutput,
  Entry,
  PastRun,
  SnapshotInfo,
  ChangesOutput,
  MountInfo,
  MountChangesOutput,
  MountChange,
  Resolve,
  AppliedOutput,
  NetworkAccess,
  NetworkEntry,
  Job,
  SavedOutput,
} from "./api.js";

/** Options of {@link SandboxMethods.changes}. */
export interface SandboxChangesOptions {
  /** The earlier moment: `before:3`, `after:3` (a run's number) or `snapshot:ID`; before the last step if not given. */
  from?: string | undefined;
  /** The later moment, as `from`, or `now`; now if not given. */
  to?: string | undefined;
  /** Whether to add a unified diff. */
  diff?: boolean | undefined;
  /** Whether to tell also what `.gitignore` names, and each path in `.git`. */
  all?: boolean | undefined;
  /** Patterns of paths to leave out, written as in `.gitignore`. */
  exclude?: string[] | undefined;
}

/** Methods of a sandbox itself. */
export class SandboxMethods extends OfSandbox {
  /** Kills every process of a sandbox. Its shells go on from their last states. */
  async kill(): Promise<void> {
    await this.scope.call("sandbox.kill", {});
  }

  /** Says what a sandbox uses now and has used so far. */
  stats(): Promise<StatsOutput> {
    return this.scope.call("sandbox.stats", {});
  }

  /**
   * Takes back the last steps: files, variables and working directory are as before them. A step is a run, or a method that
   * changed files, such as `files.write`.
   */
  async undo(count?: number): Promise<PastRun[]> {
    return (await this.scope.call("undo", { count })).runs;
  }

  /** Does again the steps that were undone. */
  async redo(count?: number): Promise<PastRun[]> {
    return (await this.scope.call("redo", { count })).runs;
  }

  /** Lists what differs between two moments: files added, modified, removed, with a unified diff on request. */
  changes(options: SandboxChangesOptions = {}): Promise<ChangesOutput> {
    return this.scope.call("changes", { ...options });
  }
}

/** Options of {@link PythonMethods.run}. */
export interface PythonRunOptions extends RunStreams {
  /** The session to run it in, which begins with its first call; `main` if not given. Letters, digits, `_` and `-`. */
  session?: string | undefined;
  /**
   * How long it may take, in milliseconds; as the sandbox says if not given, and as long as the server allows if 0. Code that
   * takes longer leaves the session as it was.
   */
  timeoutMs?: number | undefined;
  /** Bytes of each output stream that the result holds; as the sandbox says if not given. */
  outputBudget?: number | undefined;
}

/** Options of {@link PythonMethods.stream}. */
export interface PythonStreamOptions extends StreamStreams {
  /** The session to run it in, which begins with its first call; `main` if not given. Letters, digits, `_` and `-`. */
  session?: string | undefined;
  /**
   * How long it may take, in milliseconds; as the sandbox says if not given, and as long as the server allows if 0. Code that
   * takes longer leaves the session as it was.
   */
  timeoutMs?: number | undefined;
}

/** Methods `python.*` of a sandbox. */
export class PythonMethods extends OfSandbox {
  /**
   * Runs Python code in a session and waits for its end. Variables, functions and modules stay for the next call, and what the
   * last line gives is printed. The session is forked, snapshotted, undone and saved with the sandbox.
   */
  run(code: string, options: PythonRunOptions = {}): Promise<RunResult> {
    const { session, timeoutMs, outputBudget, ...streams } = options;
    return runMethod(this.scope, "python.run", { code, session, timeoutMs, outputBudget }, streams);
  }

  /** Does what {@link run} does and gives the output as it comes. */
  stream(code: string, options: PythonStreamOptions = {}): RunStream {
    const { session, timeoutMs, ...streams } = options;
    return new RunStream(this.scope, "python.run", { code, session, timeoutMs }, streams);
  }

  /** Resets a session: its next call starts a new interpreter. */
  async reset(session?: string): Promise<void> {
    await this.scope.call("python.reset", { session });
  }
}

/** Options of {@link JsMethods.run}. */
export interface JsRunOptions extends RunStreams {
  /** The session to run it in, which begins with its first call; `main` if not given. Letters, digits, `_` and `-`. */
  session?: string | undefined;
  /**
   * How long it may take, in milliseconds; as the sandbox says if not given, and as long as the server allows if 0. Code that
   * takes longer leaves the session as it was.
   */
  timeoutMs?: number | undefined;
  /** Bytes of each output stream that the result holds; as the sandbox says if not given. */
  outputBudget?: number | undefined;
}

/** Options of {@link JsMethods.stream}. */
export interface JsStreamOptions extends StreamStreams {
  /** The session to run it in, which begins with its first call; `main` if not given. Letters, digits, `_` and `-`. */
  session?: string | undefined;
  /**
   * How long it may take, in milliseconds; as the sandbox says if not given, and as long as the server allows if 0. Code that
   * takes longer leaves the session as it was.
   */
  timeoutMs?: number | undefined;
}

/** Methods `js.*` of a sandbox. */
export class JsMethods extends OfSandbox {
  /**
   * Runs JavaScript in a session of Node and waits for its end: until no timer, promise or child is left to wait for. What it
   * declares stays for the next call and may be declared again, `await` works outside of functions, and what the last statement
   * gives is printed. The session is forked, snapshotted, undone and saved with the sandbox. Needs the part `js`.
   */
  run(code: string, options: JsRunOptions = {}): Promise<RunResult> {
    const { session, timeoutMs, outputBudget, ...streams } = options;
    return runMethod(this.scope, "js.run", { code, session, timeoutMs, outputBudget }, streams);
  }

  /** Does what {@link run} does and gives the output as it comes. */
  stream(code: string, options: JsStreamOptions = {}): RunStream {
    const { session, timeoutMs, ...streams } = options;
    return new RunStream(this.scope, "js.run", { code, session, timeoutMs }, streams);
  }

  /** Resets a session: its next call starts Node anew. */
  async reset(session?: string): Promise<void> {
    await this.scope.call("js.reset", { session });
  }
}

/** Options of {@link FilesMethods.write}. */
export interface FilesWriteOptions {
  /** Whether directories above it are made; they are if not given. */
  parents?: boolean | undefined;
}

/** Options of {@link FilesMethods.grep}. */
export interface FilesGrepOptions {
  /** A file or a directory; the working directory if not given. */
  path?: string | undefined;
  /** Only files whose path matches this, such as `*.py`. */
  glob?: string | undefined;
  /** Whether upper and lower case are the same. */
  ignoreCase?: boolean | undefined;
  /** Whether the pattern is plain text. */
  fixed?: boolean | undefined;
  /** Whether ignored files are searched as well. */
  all?: boolean | undefined;
  /** The most lines; 200 if not given, 5000 at most. */
  limit?: number | undefined;
}

/** Options of {@link FilesMethods.glob}. */
export interface FilesGlobOptions {
  /** The directory; the working directory if not given. */
  path?: string | undefined;
  /** Whether ignored files are listed as well. */
  all?: boolean | undefined;
  /** The most paths; 1000 if not given, 10000 at most. */
  limit?: number | undefined;
}

/** Methods `files.*` of a sandbox. */
export class FilesMethods extends OfSandbox {
  /** Writes a file: makes it or replaces what it holds. Directories above it are made. */
  async write(path: string, data: Data, options: FilesWriteOptions = {}): Promise<void> {
    await this.scope.call("files.write", { path, ...encode(data), ...options });
  }

  /**
   * Replaces text in a file: every edit, in their order, or none. What is replaced must be there exactly once, unless `all` is
   * set.
   */
  edit(path: string, edits: Edit[]): Promise<EditOutput> {
    return this.scope.call("files.edit", { path, edits });
  }

  /**
   * Searches files for lines by a regular expression, as ripgrep does: files that `.gitignore` names and binary files are left
   * out.
   */
  grep(pattern: string, options: FilesGrepOptions = {}): Promise<GrepOutput> {
    return this.scope.call("files.grep", { pattern, ...options });
  }

  /** Lists files by a pattern for their paths, sorted. Files that `.gitignore` names are left out. */
  glob(pattern: string, options: FilesGlobOptions = {}): Promise<GlobOutput> {
    return this.scope.call("files.glob", { pattern, ...options });
  }

  /** Lists a directory, sorted by name. */
  async list(path: string): Promise<Entry[]> {
    return (await this.scope.call("files.list", { path })).entries;
  }

  /** Says what a path is. A symbolic link at its end is followed. */
  stat(path: string): Promise<Stat> {
    return this.scope.call("files.stat", { path });
  }

  /** Makes a directory, and those above it that are missing. */
  async mkdir(path: string): Promise<void> {
    await this.scope.call("files.mkdir", { path });
  }

  /** Removes a file, or a directory with all that is in it. */
  async remove(path: string): Promise<void> {
    await this.scope.call("files.remove", { path });
  }

  /** Gives a file or a directory another name; what has that name is replaced. */
  async rename(path: string, to: string): Promise<void> {
    await this.scope.call("files.rename", { path, to });
  }

  /** Sets the mode bits of a path. */
  async chmod(path: string, mode: number): Promise<void> {
    await this.scope.call("files.chmod", { path, mode });
  }

  /** Puts single paths back to what they were at a moment, and leaves the rest as it is. */
  async restore(from: string, paths: string[]): Promise<void> {
    await this.scope.call("files.restore", { from, paths });
  }
}

/** Methods `shell.history.*` of a sandbox. */
export class ShellHistoryMethods extends OfSandbox {
  /** Lists the steps that are kept, the oldest first: runs, and changes of files by methods. */
  async list(): Promise<PastRun[]> {
    return (await this.scope.call("shell.history.list", {})).runs;
  }

  /** Forgets the steps that are kept; they cannot be undone any more. */
  async clear(): Promise<void> {
    await this.scope.call("shell.history.clear", {});
  }
}

/** Methods `snapshot.*` of a sandbox. */
export class SnapshotMethods extends OfSandbox {
  /** Keeps the files and shells as they are now, in microseconds. */
  create(): Promise<SnapshotInfo> {
    return this.scope.call("snapshot.create", {});
  }

  /** Puts files and shells back to a snapshot; it can be used again. */
  async restore(id: string): Promise<void> {
    await this.scope.call("snapshot.restore", { id });
  }

  /** Lists the snapshots of a sandbox, the oldest first. */
  async list(): Promise<SnapshotInfo[]> {
    return (await this.scope.call("snapshot.list", {})).snapshots;
  }

  /** Forgets a snapshot. */
  async remove(id: string): Promise<void> {
    await this.scope.call("snapshot.remove", { id });
  }
}

/** Options of {@link MountsMethods.changes}. */
export interface MountsChangesOptions {
  /** Whether to tell also what `.gitignore` names, and each path in `.git`. */
  all?: boolean | undefined;
  /** Patterns of paths to leave out, written as in `.gitignore`. */
  exclude?: string[] | undefined;
}

/** Options of {@link MountsMethods.apply}. */
export interface MountsApplyOptions {
  /** Paths of the sandbox below it, absolute; all changes if not given. */
  paths?: string[] | undefined;
  /** Whether guarded paths go along: files that programs of the host run or obey, such as `.git/hooks` and `.envrc`. */
  allowGuarded?: boolean | undefined;
  /** Whether to apply what can be applied even if something else is refused. */
  partial?: boolean | undefined;
  /** What becomes of files that both the sandbox and the host have changed; `merge` if not given. */
  resolve?: Resolve | undefined;
  /** Whether to apply also what `.gitignore` names. */
  all?: boolean | undefined;
  /** Patterns of paths to leave out, written as in `.gitignore`. */
  exclude?: string[] | undefined;
  /** Whether only to say what would be done. */
  dryRun?: boolean | undefined;
}

/** Options of {@link MountsMethods.discard}. */
export interface MountsDiscardOptions {
  /** Paths of the sandbox below it, absolute; all changes if not given. */
  paths?: string[] | undefined;
}

/** Methods `mounts.*` of a sandbox. */
export class MountsMethods extends OfSandbox {
  /** Lists the host directories of a sandbox. The host's own paths are not told. */
  async list(): Promise<MountInfo[]> {
    return (await this.scope.call("mounts.list", {})).mounts;
  }

  /** Lists what was changed in an overlay and is not on the host. */
  changes(at: string, options: MountsChangesOptions = {}): Promise<MountChangesOutput> {
    return this.scope.call("mounts.changes", { at, ...options });
  }

  /**
   * Makes changes of an overlay on the host: all of them, or nothing if one is refused. Text that the host changed since the
   * sandbox saw it is merged. Refused are what cannot be merged, guarded paths unless they are allowed, and links that lead out
   * of the directory.
   */
  apply(at: string, options: MountsApplyOptions = {}): Promise<AppliedOutput> {
    return this.scope.call("mounts.apply", { at, ...options });
  }

  /** Forgets changes of an overlay: the sandbox sees the host's files again. */
  async discard(at: string, options: MountsDiscardOptions = {}): Promise<MountChange[]> {
    return (await this.scope.call("mounts.discard", { at, ...options })).changes;
  }
}

/** Options of {@link NetworkMethods.check}. */
export interface NetworkCheckOptions {
  /** The method; `GET` if not given. */
  method?: string | undefined;
}

/** Methods `network.*` of a sandbox. */
export class NetworkMethods extends OfSandbox {
  /**
   * Says whether a program in the sandbox may use a URL now, and if not, why and what would allow it. Nothing is sent, counted or
   * reported.
   */
  check(url: string, options: NetworkCheckOptions = {}): Promise<NetworkAccess> {
    return this.scope.call("network.check", { url, ...options });
  }

  /**
   * Sets what a sandbox may reach, and its secrets. What is under way ends as it was allowed; the next request of an open
   * connection is decided anew. What was used stays counted.
   */
  async set(network: Network): Promise<void> {
    await this.scope.call("network.set", { network });
  }

  /**
   * Lists what the sandbox and its forks asked of the network lately, what became of it and why: the last 256 of it, of which the
   * oldest comes first.
   */
  async log(): Promise<NetworkEntry[]> {
    return (await this.scope.call("network.log", {})).entries;
  }
}

/** Options of {@link JobsMethods.signal}. */
export interface JobsSignalOptions {
  /** The signal's name, with or without SIG; TERM if not given. */
  signal?: string | undefined;
}

/** Methods `jobs.*` of a sandbox. */
export class JobsMethods extends OfSandbox {
  /** Lists the processes of a sandbox. */
  async list(): Promise<Job[]> {
    return (await this.scope.call("jobs.list", {})).jobs;
  }

  /** Sends a signal to a process. */
  async signal(pid: number, options: JobsSignalOptions = {}): Promise<void> {
    await this.scope.call("jobs.signal", { pid, ...options });
  }
}

/** Options of {@link PersistenceMethods.export}. */
export interface PersistenceExportOptions {
  /** A key of 32 bytes, to encrypt it. */
  key?: Uint8Array | undefined;
}

/** Options of {@link PersistenceMethods.import}. */
export interface PersistenceImportOptions {
  /** The key that it was encrypted with. */
  key?: Uint8Array | undefined;
}

/** Methods `persistence.*` of a sandbox. */
export class PersistenceMethods extends OfSandbox {
  /** Saves a persistent sandbox now, instead of within its autosave time. */
  save(): Promise<SavedOutput> {
    return this.scope.call("persistence.save", {});
  }

  /** Puts a persistent sandbox back to what was saved last. */
  async load(): Promise<number> {
    return (await this.scope.call("persistence.load", {})).sequence;
  }

  /** Gives the whole state as bytes that `persistence.import` takes, here or elsewhere. */
  async export(options: PersistenceExportOptions = {}): Promise<Uint8Array> {
    return fromBase64((await this.scope.call("persistence.export", { key: options.key && toBase64(options.key) })).base64);
  }

  /** Makes the sandbox what an exported state says. What is broken, too large or hostile is refused without effect. */
  async import(data: Uint8Array, options: PersistenceImportOptions = {}): Promise<number> {
    return (await this.scope.call("persistence.import", { base64: toBase64(data), key: options.key && toBase64(options.key) })).sequence;
  }

  /** Gives a number of the state: equal for equal files and shells. */
  async hash(): Promise<string> {
    return (await this.scope.call("persistence.hash", {})).hash;
  }
}
