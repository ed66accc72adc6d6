#!/usr/bin/env node
/** `npx codepod …`: the program of the platform package, as if it had been called itself. */

import { spawn } from "node:child_process";
import { constants } from "node:os";

import { findBinary, withParts } from "./binary.js";
import { CodepodError } from "./errors.js";

try {
  const child = spawn(findBinary(), process.argv.slice(2), { stdio: "inherit", env: withParts(process.env) });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => fail(error.message, "`codepod doctor` says what is missing"));
  child.on("exit", (status, signal) => process.exit(status ?? 128 + constants.signals[signal ?? "SIGKILL"]));
} catch (error) {
  if (!(error instanceof CodepodError)) throw error;
  fail(error.message, error.hint);
}

function fail(message: string, hint: string): never {
  process.stderr.write(`error: ${message}\nhint: ${hint}\n`);
  process.exit(127);
}
