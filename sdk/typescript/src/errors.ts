/** Errors: a kind for programs, a message for people, a hint that helps. */

import type { ApiError, ErrorKind } from "./generated/api.js";

/** What went wrong: a kind of the server's, or one that only a client meets. */
export type CodepodErrorKind =
  | ErrorKind
  /** The server ended, or cannot be started or reached: its sandboxes are gone unless they are kept. */
  | "server_gone"
  /** There is no codepod program to talk to. */
  | "binary_not_found"
  /** The client was closed. */
  | "closed"
  /** A command that was to succeed ended with another status than 0. */
  | "command_failed";

/** What every call of codepod fails with. Programs match on `kind`; `hint` says what to do. */
export class CodepodError extends Error {
  /** What kind of error it is. */
  readonly kind: CodepodErrorKind;
  /** What to do about it. */
  readonly hint: string;
  /** The error's name where a file or a process is the cause: `ENOENT`. */
  readonly errno: string | undefined;

  constructor(
    kind: CodepodErrorKind,
    message: string,
    more: { hint?: string | undefined; errno?: string | undefined; cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.name = "CodepodError";
    this.kind = kind;
    this.hint = more.hint ?? "";
    this.errno = more.errno;
  }

  /** The error that a server's answer tells of. */
  static from(error: ApiError): CodepodError {
    const { kind, hint, errno } = error.data ?? { kind: "internal", hint: "" };
    return new CodepodError(kind, error.message, { hint, errno });
  }
}

/** The server is not there, or not any more. */
export function serverGone(message: string, hint: string, cause?: unknown): CodepodError {
  return new CodepodError("server_gone", message, { hint, cause });
}

/** A closed client was used. */
export function clientClosed(): CodepodError {
  return new CodepodError("closed", "the client is closed", { hint: "make a new `Client`" });
}

/** A call's result; its error tells where the call was made, not where the answer was read. */
export async function traced<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof CodepodError) Error.captureStackTrace(error, traced);
    throw error;
  }
}
