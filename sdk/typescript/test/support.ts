/** What several tests need. */

import { after } from "node:test";

import { Client, CodepodError, Sandbox, type CodepodErrorKind, type CreateParams } from "../src/index.js";

/** A client with a server of its own, which ends with the tests of the file. */
export function client(): Client {
  const client = new Client();
  after(() => client.close());
  return client;
}

/** Makes a sandbox, lets `use` have it, and closes it. */
export async function withSandbox(
  client: Client,
  use: (sandbox: Sandbox) => Promise<void>,
  options?: CreateParams,
): Promise<void> {
  await using sandbox = await client.create(options);
  await use(sandbox);
}

/** Says whether an error is codepod's and of a kind, for `assert.rejects`. */
export function ofKind(kind: CodepodErrorKind): (error: unknown) => boolean {
  return (error) => {
    if (!(error instanceof CodepodError)) throw error;
    if (error.kind !== kind) throw new Error(`the kind is ${error.kind}, not ${kind}: ${error.message}`);
    return error.message !== "" && error.hint !== "";
  };
}

/** Waits until something is so. */
export async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const end = Date.now() + 10_000; !(await isSo()); ) {
    if (Date.now() > end) throw new Error(`not so after 10 s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
