/** The way over HTTP, against a server that notes what it is asked. The real one is in `serve.test.ts`. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";

import { Client } from "../src/index.js";
import { readEvents } from "../src/sse.js";
import { ofKind, until } from "./support.js";

interface Asked {
  verb: string;
  url: string;
  key: string | undefined;
  accept: string | undefined;
  body: unknown;
}

/** A server that answers as it is told, and the requests that it got. */
async function serving(
  answer: (asked: Asked, response: ServerResponse) => void,
  use: (url: string, asked: Asked[], server: Server) => Promise<void>,
): Promise<void> {
  const all: Asked[] = [];
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    let text = "";
    for await (const piece of request) text += String(piece);
    const { authorization: key, accept } = request.headers;
    const body = text && (JSON.parse(text) as unknown);
    const asked = { verb: request.method ?? "", url: request.url ?? "", key, accept, body };
    all.push(asked);
    answer(asked, response);
  };
  const server = createServer((request, response) => void handle(request, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, all, server);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const json = (response: ServerResponse, value: unknown, status = 200) =>
  void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));

test("methods are asked for at their routes, with query or body", () =>
  serving(
    (_, response) => json(response, { ok: true, text: "t", size: 1, sandboxId: "sb_1", createdMs: 1 }),
    async (url, asked) => {
      const sandbox = await new Client({ url, apiKey: "secret" }).create({ timeoutMs: 5 });
      await sandbox.files.read("/a b&c", { offset: 1 });
      await sandbox.files.write("/f", new Uint8Array([255]));
      await sandbox.files.remove("/f");
      await sandbox.env.set({ A: "1" });
      assert.deepEqual(
        asked.map(({ verb, url, body }) => [verb, url, body]),
        [
          ["POST", "/v1/sandboxes", { timeoutMs: 5 }],
          ["GET", "/v1/sandboxes/sb_1/files?path=%2Fa+b%26c&offset=1", ""],
          ["PUT", "/v1/sandboxes/sb_1/files", { path: "/f", base64: "/w==" }],
          ["DELETE", "/v1/sandboxes/sb_1/files?path=%2Ff", ""],
          ["PUT", "/v1/sandboxes/sb_1/env", { env: { A: "1" } }],
        ],
      );
      assert.ok(asked.every(({ key }) => key === "Bearer secret"));
    },
  ));

const result = {
  run: 1, exitCode: 0, success: true, stdout: "", stderr: "", truncated: false, timedOut: false, cancelled: false, crashed: false,
  executionTimeMs: 1, usage: { processes: 1, cpuMs: 1, read: 0, written: 0, requests: 0, bytesIn: 0, bytesOut: 0 },
};

test("output is streamed by events", () =>
  serving(
    (asked, response) => {
      assert.equal(asked.accept, "text/event-stream");
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(': hello\nevent: output\ndata: {"stream":"stdout","text":"on');
      setTimeout(() => {
        response.write('e\\n"}\n\nevent: output\r\ndata: {"stream":"stderr","base64":"/w=="}\r\n\r\n');
        response.end(`event: result\ndata: ${JSON.stringify(result)}\n\n`);
      }, 20);
    },
    async (url) => {
      const sandbox = new Client({ url }).sandbox("sb_1");
      const seen: string[] = [];
      const done = await sandbox.run("x", { onStdout: (text) => seen.push(text), onStderr: (text) => seen.push(text) });
      assert.deepEqual(seen, ["one\n", "\ufffd"]);
      assert.deepEqual([done.stdout, [...done.stderrBytes], done.exitCode], ["one\n", [255], 0]);
    },
  ));

test("an error is an error, as an answer and as an event", () => {
  const error = { code: -32001, message: "there is no such sandbox", data: { kind: "not_found", hint: "make one" } };
  return serving(
    (asked, response) => {
      if (asked.accept === "text/event-stream") {
        response.writeHead(200, { "content-type": "text/event-stream" }).end(`event: error\ndata: ${JSON.stringify(error)}\n\n`);
      } else {
        json(response, error, 404);
      }
    },
    async (url) => {
      const sandbox = new Client({ url }).sandbox("sb_1");
      await assert.rejects(sandbox.run("x"), ofKind("not_found"));
      await assert.rejects(sandbox.stream("x").result, ofKind("not_found"));
    },
  );
});

test("a server that is away, hangs up or is another is named", () =>
  serving(
    (asked, response) => {
      const isStream = asked.accept === "text/event-stream";
      if (!isStream) return void response.writeHead(200, { "content-type": "text/html" }).end("<html>");
      response.writeHead(200, { "content-type": "text/event-stream" }).write("event: output\n");
      response.end();
    },
    async (url, _, server) => {
      const client = new Client({ url });
      await assert.rejects(client.list(), ofKind("server_gone"));
      await assert.rejects(client.sandbox("sb_1").stream("x").result, ofKind("server_gone"));
      server.closeAllConnections();
      server.close();
      await assert.rejects(client.list(), /cannot be reached/);
      await client.close();
      await assert.rejects(client.list(), ofKind("closed"));
    },
  ));

test("an aborted signal hangs up; a host command is refused", () => {
  let hungUp = false;
  return serving(
    (_, response) => void response.on("close", () => (hungUp = true)),
    async (url, asked) => {
      const controller = new AbortController();
      const sandbox = new Client({ url }).sandbox("sb_1");
      const run = sandbox.run("sleep 60", { signal: controller.signal });
      await until(() => asked.length === 1, "the request is there");
      controller.abort();
      await assert.rejects(run, { name: "AbortError" });
      await until(() => hungUp, "the server was told");
      await assert.rejects(sandbox.command("x", () => {}), ofKind("unsupported"));
    },
  );
});

test("many calls wait for their turn", () => {
  let now = 0;
  let most = 0;
  return serving(
    (_, response) => {
      most = Math.max(most, (now += 1));
      setTimeout(() => {
        now -= 1;
        json(response, { ok: true });
      }, 5);
    },
    async (url, asked) => {
      const { files } = new Client({ url }).sandbox("sb_1");
      await Promise.all(Array.from({ length: 300 }, (_, index) => files.write(`f${index}`, "")));
      assert.equal(asked.length, 300);
      assert.ok(most > 1 && most <= 64, `${most} at a time`);
    },
  );
});

test("events are read however they are cut", async () => {
  const text = "event: a\ndata: 1\ndata: 2\n\ndata\n\n:c\nid: 3\nevent: b\n\ndata: \u20ac\n\nevent: lost\ndata: x\n";
  const bytes = new TextEncoder().encode(text);
  for (const step of [1, 2, 7, 1000]) {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < bytes.length; at += step) controller.enqueue(bytes.subarray(at, at + step));
        controller.close();
      },
    });
    const events = [];
    for await (const event of readEvents(body)) events.push(event);
    assert.deepEqual(events, [
      { name: "a", data: "1\n2" },
      { name: "message", data: "" },
      { name: "message", data: "\u20ac" },
    ]);
  }
});
