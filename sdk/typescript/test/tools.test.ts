import assert from "node:assert/strict";
import { test } from "node:test";

import { callTool, tools, type ToolResult } from "../src/index.js";
import { client, ofKind, withSandbox } from "./support.js";

const shared = client();

test("definitions are in the form of each framework", () => {
  assert.ok(tools.names().includes("run"));
  for (const tool of tools.anthropic()) {
    assert.deepEqual(Object.keys(tool), ["name", "description", "input_schema"]);
    assert.equal(tool.input_schema.type, "object");
  }
  for (const tool of tools.openai()) assert.deepEqual(Object.keys(tool.function), ["name", "description", "parameters"]);
  for (const tool of tools.openaiResponses()) assert.equal(tool.type, "function");
  const [run, ...rest] = tools.mcp({ only: ["run"], prefix: "sandbox_" });
  assert.equal(rest.length, 0);
  assert.equal(run?.name, "sandbox_run");
  assert.deepEqual(run?.inputSchema.required, ["command"]);
  assert.throws(() => tools.anthropic({ only: ["nope"] }), ofKind("method_not_found"));
  const { properties } = tools.anthropic()[0]!.input_schema;
  for (const name of Object.keys(properties)) delete properties[name];
  assert.notDeepEqual(tools.anthropic()[0]!.input_schema.properties, {});
});

test("run tells a model four things, and more only where there is more", () =>
  withSandbox(shared, async (sandbox) => {
    const told = await callTool(sandbox, "sandbox_run", { command: "echo hi; exit 3" });
    assert.deepEqual(Object.keys(told), ["exit_code", "stdout", "stderr", "execution_time_ms"]);
    assert.deepEqual([told["exit_code"], told["stdout"]], [3, "hi\n"]);
    assert.equal((await callTool(sandbox, "run", { command: "sleep 10", timeout_ms: 100 }))["timed_out"], true);
    assert.equal((await callTool(sandbox, "run", '{"command": "echo x"}'))["stdout"], "x\n");
  }));

test("long output is cut as the description says", () =>
  withSandbox(shared, async (sandbox) => {
    const told = await callTool(sandbox, "run", { command: "seq 100000" });
    const stdout = String(told["stdout"]);
    assert.ok(stdout.length <= (16 << 10) + 100, String(stdout.length));
    assert.match(stdout, /\n\[\d+ bytes are not shown; all of it is in \/proc\/runs\//);
    const more = await callTool(sandbox, "run", { command: "seq 100000", output_budget: 100_000 });
    assert.ok(String(more["stdout"]).length > 50_000);
    const lost = await callTool(sandbox, "run", { command: "yes" });
    assert.match(String(lost["stdout"]), /longer than its limit.*\/proc\/runs\//);
    const small = await shared.create({ outputBudget: 200 });
    assert.ok(String((await callTool(small, "run", { command: "seq 100000" }))["stdout"]).length < 300);
    await small.close();
  }));

test("every tool answers", () =>
  withSandbox(shared, async (sandbox) => {
    const inputs: Record<string, ToolResult> = {
      run: { command: "echo x > f" },
      python: { code: "open('f').read()" },
      javascript: { code: "fs.readFileSync('f', 'utf8')" },
      write: { path: "d/g", text: "t" },
      edit: { path: "d/g", edits: [{ old: "t", new: "u" }] },
      grep: { pattern: "u" },
      glob: { pattern: "**/g" },
      read: { path: "d/g" },
      list: { path: "." },
      changes: { diff: true },
      undo: {},
      snapshot: {},
      fork: {},
    };
    assert.deepEqual([...tools.names()].sort(), [...Object.keys(inputs), "restore", "start", "output", "stdin", "kill"].sort());
    for (const [name, input] of Object.entries(inputs)) {
      assert.equal((await callTool(sandbox, name, input))["error"], undefined, name);
    }
    const run = { run_id: (await callTool(sandbox, "start", { command: "read x; echo got $x; sleep 60" }))["run_id"] };
    assert.deepEqual(await callTool(sandbox, "stdin", { ...run, text: "it\n" }), { ok: true });
    assert.equal((await callTool(sandbox, "output", { ...run, wait_ms: 20000 }))["stdout"], "got it\n");
    assert.deepEqual(await callTool(sandbox, "kill", run), { ok: true });
    assert.equal((await callTool(sandbox, "output", { ...run, wait_ms: 20000 }))["exit_code"], 130);
    const kept = await callTool(sandbox, "snapshot", {});
    assert.equal((await callTool(sandbox, "restore", { id: kept["id"] }))["error"], undefined);
    const fork = (await callTool(sandbox, "fork", {}))["sandbox_id"];
    await callTool(sandbox, "run", { command: "echo x > only", sandbox_id: fork });
    await assert.rejects(sandbox.files.stat("only"), ofKind("file"));
    assert.equal(await shared.sandbox(String(fork)).files.read("only"), "x\n");
  }));

test("a model is told what went wrong", () =>
  withSandbox(shared, async (sandbox) => {
    const calls: [string, unknown][] = [
      ["nope", {}],
      ["run", { nonsense: 1 }],
      ["run", { command: 5 }],
      ["run", "not JSON"],
      ["run", null],
      ["read", { path: "/nope" }],
      ["restore", { id: "x" }],
      ["run", { command: "x", sandbox_id: "sb_other" }],
    ];
    for (const [name, input] of calls) {
      const told = await callTool(sandbox, name, input);
      assert.ok(told["error"] && told["kind"] && told["hint"], `${name} ${JSON.stringify(input)}: ${JSON.stringify(told)}`);
    }
  }));

test("tools of the AI SDK act by themselves", () =>
  withSandbox(shared, async (sandbox) => {
    const { sandbox_run } = tools.aiSdk(sandbox, { prefix: "sandbox_" });
    const schema = sandbox_run?.inputSchema as { jsonSchema: { type: string } };
    assert.equal(schema.jsonSchema.type, "object");
    assert.equal((await sandbox_run?.execute({ command: "echo hi" }))?.["stdout"], "hi\n");
  }));
