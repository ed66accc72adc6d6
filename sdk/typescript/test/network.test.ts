import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { after, before, test } from "node:test";

import { Client, Sandbox, type Network, type NetworkRequest } from "../src/index.js";
import { ofKind } from "./support.js";

/** Says what a server answers to a request for `$2` of the host `$1`. */
const GET = `
get() {
    exec 3<>"/dev/tcp/$1/80" || return
    printf 'GET %s HTTP/1.1\\r\\nHost: %s\\r\\nConnection: close\\r\\n\\r\\n' "$2" "$1" >&3
    cat <&3
    exec 3>&-
}
`;

let server: Server;
let address: string;

before(async () => {
  server = createServer((request, response) => response.end(`hello ${request.url}\n`));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});

after(() => server.close());

test("what is granted is reached, and nothing else", async () => {
  await using sandbox = await Sandbox.create({
    network: { allowedHosts: ["http://api.test"], hosts: { "api.test": address } },
  });
  assert.match((await sandbox.run(`${GET} get api.test /a`)).stdout, /hello \/a\n/);
  const refused = await sandbox.run(`${GET} get other.test /`);
  assert.notEqual(refused.exitCode, 0);
  assert.match(refused.stderr, /other\.test/);
  const access = await sandbox.network.check("http://other.test/");
  assert.equal(access.allowed, false);
});

test("a client without a network says how to start one with it", async () => {
  await using client = new Client();
  await assert.rejects(client.create({ network: { allowedHosts: ["api.test"] } }), ofKind("denied"));
});

test("a function decides, for forks as well, until another network is set", async () => {
  const seen: NetworkRequest[] = [];
  const network = { allowedHosts: ["http://api.test"], hosts: { "api.test": address } };
  await using sandbox = await Sandbox.create({
    network,
    onRequest: async (request) => {
      seen.push(request);
      if (request.url.endsWith("/secret")) return "not today";
      if (request.url.endsWith("/mine")) return { status: 203, headers: { "X-From": "host" }, body: "from the host\n" };
      return true;
    },
  });
  assert.match((await sandbox.run(`${GET} get api.test /a`)).stdout, /hello \/a\n/);
  assert.match((await sandbox.run(`${GET} get api.test /secret`)).stdout, /403[^]*not today/);
  assert.match((await sandbox.run(`${GET} get api.test /mine`)).stdout, /^HTTP\/1\.1 203[^]*from the host\n$/);
  assert.equal(seen[0]?.url, "http://api.test/a");
  assert.equal(seen[0]?.sandboxId, sandbox.id);

  await using fork = await sandbox.fork();
  assert.match((await fork.run(`${GET} get api.test /mine`)).stdout, /203/);
  assert.equal(seen.at(-1)?.sandboxId, fork.id);

  await sandbox.network.set(network);
  assert.match((await sandbox.run(`${GET} get api.test /secret`)).stdout, /hello \/secret\n/);
  await sandbox.network.set(network, { onRequest: () => "no more" });
  assert.match((await sandbox.run(`${GET} get api.test /`)).stdout, /no more/);
});

test("a function is of a network", async () => {
  await assert.rejects(Sandbox.create({ onRequest: () => true }), /give `network`/);
});

test("what was recorded is replayed without a server", async () => {
  const directory = await mkdtemp(join(tmpdir(), "codepod-"));
  // The client's process has the working directory; paths are made whole for the server's.
  const cassette = relative(process.cwd(), join(directory, "cassette"));
  let asked = 0;
  const server = createServer((request, response) => {
    asked += 1;
    response.end(`hello ${request.url}\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const port = (server.address() as AddressInfo).port;
  const network = { allowedHosts: ["http://api.test"], hosts: { "api.test": `127.0.0.1:${port}` } };
  try {
    await using recorded = await Sandbox.create({ network: { ...network, record: cassette } });
    assert.match((await recorded.run(`${GET} get api.test /a`)).stdout, /hello \/a\n/);
    await assert.rejects(recorded.network.set({ ...network, record: cassette }), ofKind("invalid_params"));
    assert.equal((await recorded.network.log())[0]?.insecure, false);
    await using replayed = await Sandbox.create({ network: { ...network, replay: cassette } });
    assert.match((await replayed.run(`${GET} get api.test /a`)).stdout, /hello \/a\n/);
    assert.match((await replayed.run(`${GET} get api.test /b`)).stdout, /the recording has no GET/);
    assert.equal(asked, 1);
  } finally {
    server.close();
    await rm(directory, { recursive: true });
  }
});

test("options that contradict each other are refused", async () => {
  const refused = (network: Network) => assert.rejects(Sandbox.create({ network }), ofKind("invalid_params"));
  await refused({ rules: [{ rule: "api.test", insecure: true, clientCert: { chain: "", key: "" } }] });
  await refused({ rules: [{ rule: "http://api.test", insecure: true }] });
  await refused({ rules: [{ rule: "api.test", clientCert: { chain: "no PEM", key: "none" } }] });
  await refused({ allowedHosts: ["api.test"], record: "a", replay: "a" });
});

test("keys of an account and of WebSockets are not inside", async () => {
  await using sandbox = await Sandbox.create({
    network: {
      allowedHosts: ["*.eu-central-1.amazonaws.com", "api.test"],
      secrets: [{ name: "KEY", value: "sk-canary-0123456789", hosts: ["api.test"], places: ["websocket"] }],
      aws: {
        accessKeyId: "AKIACANARY0123456789",
        secret: "canary-secret-0123456789",
        services: ["s3"],
        regions: ["eu-central-1"],
        hosts: ["https://s3.eu-central-1.amazonaws.com"],
      },
    },
  });
  const { stdout } = await sandbox.run("echo $KEY $AWS_ACCESS_KEY_ID $AWS_SECRET_ACCESS_KEY");
  assert.equal(stdout.trim().split(" ").length, 3);
  assert.doesNotMatch(stdout, /canary/i);
});
