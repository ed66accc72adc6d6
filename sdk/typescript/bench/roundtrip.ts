/**
 * How long a round trip takes: `run("echo hi")` in a live sandbox, over standard input and output, and how much of it is Node's.
 *
 * Run by `npm run bench` with `CODEPOD_BIN` set to a release build of the program, on an idle machine; prints a line for each
 * figure, and ends with 1 if a goal is missed.
 */

import { spawn } from "node:child_process";

import { Client } from "../src/index.js";

const WARM = 500;
const ROUNDS = 5000;
/** What a round trip may take, in microseconds; the Python package has the same goal. */
const GOAL = 150;

/** Median and 99th percentile of a step, in microseconds. */
async function measured(step: () => Promise<unknown>): Promise<{ median: number; high: number }> {
  const times: number[] = [];
  for (let turn = 0; turn < WARM + ROUNDS; turn += 1) {
    const began = performance.now();
    await step();
    if (turn >= WARM) times.push((performance.now() - began) * 1000);
  }
  times.sort((a, b) => a - b);
  return { median: times[Math.floor(ROUNDS / 2)] ?? NaN, high: times[Math.floor(ROUNDS * 0.99)] ?? NaN };
}

function show(name: string, { median, high }: { median: number; high: number }, goal?: number): boolean {
  const isMet = goal === undefined || median <= goal;
  const verdict = goal === undefined ? "" : `  goal ${goal} µs: ${isMet ? "met" : "MISSED"}`;
  console.log(`${name.padEnd(52)} ${median.toFixed(1).padStart(8)} µs  p99 ${high.toFixed(1).padStart(8)} µs${verdict}`);
  return isMet;
}

/** A line to `cat` and back: what two pipes and Node's event loop cost before anything of ours. */
async function pipes(): Promise<{ median: number; high: number }> {
  const cat = spawn("cat", { stdio: ["pipe", "pipe", "inherit"] });
  let wake = () => {};
  cat.stdout.on("data", () => wake());
  const figures = await measured(
    () =>
      new Promise<void>((resolve) => {
        wake = resolve;
        cat.stdin.write('{"jsonrpc":"2.0","id":1,"method":"run"}\n');
      }),
  );
  cat.stdin.end();
  return figures;
}

await using client = new Client();
await using sandbox = await client.create();
show("a line to `cat` and back", await pipes());
show("server.info", await measured(() => client.info()));
const isMet = show('sandbox.run("echo hi")', await measured(() => sandbox.run("echo hi")), GOAL);
show('sandbox.stream("echo hi").result', await measured(() => sandbox.stream("echo hi").result));
const began = performance.now();
await Promise.all(Array.from({ length: 2000 }, () => client.call("run", { sandboxId: sandbox.id, command: "echo hi" })));
console.log(`${"2,000 runs at a time".padEnd(52)} ${(((performance.now() - began) * 1000) / 2000).toFixed(1).padStart(8)} µs each`);
process.exitCode = isMet ? 0 : 1;
