"""What a sandbox may reach, and functions that decide about it."""

from __future__ import annotations

import asyncio
import gc
import logging
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Iterator, List, Union

import pytest

from codepod import (
    AsyncSandbox,
    AwsKeys,
    Client,
    ClientCert,
    HostRule,
    Network,
    NetworkRequest,
    NetworkResponse,
    Sandbox,
    Secret,
)
from codepod.errors import DeniedError, InvalidParamsError

#: Says what a server answers to a request for `$2` of the host `$1`.
GET = r"""
get() {
    exec 3<>"/dev/tcp/$1/80" || return
    printf 'GET %s HTTP/1.1\r\nHost: %s\r\nX-Key: %s\r\nConnection: close\r\n\r\n' "$2" "$1" "$KEY" >&3
    cat <&3
    exec 3>&-
}
"""


class Greeting(BaseHTTPRequestHandler):
    """Greets by path."""

    def do_GET(self) -> None:
        body = f"hello {self.path}\n".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


@contextmanager
def serving() -> Iterator[str]:
    """A server of greetings, by its address."""
    made = HTTPServer(("127.0.0.1", 0), Greeting)
    threading.Thread(target=made.serve_forever, daemon=True).start()
    yield f"127.0.0.1:{made.server_port}"
    made.shutdown()
    made.server_close()


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with serving() as address:
        yield address


def test_what_is_granted_is_reached_and_nothing_else(server: str) -> None:
    with Sandbox(network=Network(allowed_hosts=["http://api.test"], hosts={"api.test": server})) as sandbox:
        assert sandbox.run(GET + "get api.test /a | tail -n 1").stdout == "hello /a\n"
        refused = sandbox.run(GET + "get other.test /")
        assert not refused.success and "other.test" in refused.stderr
        access = sandbox.network.check("http://other.test/")
        assert not access.allowed and "other.test" in (access.reason or "")
        usage = sandbox.stats().network
        assert usage is not None and usage.requests == 1


def test_a_sandbox_without_a_network_has_none() -> None:
    with Sandbox() as sandbox:
        assert not sandbox.network.check("https://api.test/").allowed
    with Client() as client, pytest.raises(DeniedError, match="no network") as raised:
        client.sandbox(network=Network(allowed_hosts=["api.test"]))
    assert "Client(network=True)" in (raised.value.hint or "")


def test_a_function_decides(server: str, caplog: pytest.LogCaptureFixture) -> None:
    seen: List[NetworkRequest] = []

    def decide(request: NetworkRequest) -> Union[bool, str, NetworkResponse]:
        seen.append(request)
        if request.url.endswith("/secret"):
            return "not today"
        if request.url.endswith("/broken"):
            raise ValueError("a private matter")
        if request.url.endswith("/mine"):
            return NetworkResponse("from the host\n", status=203, headers={"X-From": "host"})
        return True

    network = Network(allowed_hosts=["http://api.test"], hosts={"api.test": server})
    with Sandbox(network=network, on_request=decide) as sandbox:
        assert sandbox.run(GET + "get api.test /a | tail -n 1").stdout == "hello /a\n"
        assert "not today" in sandbox.run(GET + "get api.test /secret").stdout
        answered = sandbox.run(GET + "get api.test /mine").stdout
        assert answered.startswith("HTTP/1.1 203") and "x-from: host" in answered.lower()
        assert answered.endswith("from the host\n")
        with caplog.at_level(logging.CRITICAL, "codepod"):
            broken = sandbox.run(GET + "get api.test /broken").stdout
        assert "private" not in broken and "403" in broken
        assert [request.url for request in seen][:2] == ["http://api.test/a", "http://api.test/secret"]
        assert seen[0].sandbox_id == sandbox.id and seen[0].method == "GET" and seen[0].run > 0

        # A fork asks as well, and names itself.
        fork = sandbox.fork()
        assert "203" in fork.run(GET + "get api.test /mine").stdout
        assert seen[-1].sandbox_id == fork.id

        # Without a function, what the network allows goes on.
        sandbox.network.set(network)
        assert sandbox.run(GET + "get api.test /secret | tail -n 1").stdout == "hello /secret\n"


def test_a_function_is_forgotten_with_its_sandboxes() -> None:
    with Client(network=True) as client:
        deciders = client._connection._server._deciders  # type: ignore[attr-defined]
        sandbox = client.sandbox(network=Network(allowed_hosts=["api.test"]), on_request=lambda request: True)
        fork = sandbox.fork()
        sandbox.close()
        del sandbox
        gc.collect()
        assert len(deciders) == 1
        fork.close()
        del fork
        gc.collect()
        assert not deciders


def test_functions_of_event_loops_decide(server: str) -> None:
    async def main() -> None:
        async def decide(request: NetworkRequest) -> NetworkResponse:
            await asyncio.sleep(0)
            return NetworkResponse(f"async {request.host}\n")

        network = Network(allowed_hosts=["http://api.test"], hosts={"api.test": server})
        async with AsyncSandbox(network=network, on_request=decide) as sandbox:
            assert (await sandbox.run(GET + "get api.test / | tail -n 1")).stdout == "async api.test\n"
            await sandbox.network.set(network, on_request=lambda request: "no more")
            assert "no more" in (await sandbox.run(GET + "get api.test /")).stdout

    asyncio.run(main())


def test_a_secret_is_not_inside(server: str) -> None:
    secret = Secret(name="KEY", value="sk-canary-0123456789", hosts=["https://api.test"])
    assert "canary" not in repr(secret)
    network = Network(allowed_hosts=["http://api.test"], hosts={"api.test": server}, secrets=[secret])
    with Sandbox(network=network) as sandbox:
        shown = sandbox.run("echo $KEY").stdout.strip()
        assert shown and "canary" not in shown
        # It goes to no host that it is not bound to, and never over http.
        assert "KEY" in sandbox.run(GET + "get api.test /").stdout


def test_keys_are_not_printed_and_reach_the_server() -> None:
    keys = AwsKeys(
        access_key_id="AKIACANARY0123456789",
        secret="canary-secret-0123456789",
        session_token="canary-token-0123456789",
        services=["s3"],
        regions=["eu-central-1"],
        hosts=["https://s3.eu-central-1.amazonaws.com"],
    )
    client = ClientCert(chain="CHAIN", key="canary-key")
    assert "canary" not in (repr(keys) + repr(client)).lower()
    assert Network.from_wire(Network(aws=keys).to_wire()).aws == keys
    with Sandbox(network=Network(allowed_hosts=["s3.eu-central-1.amazonaws.com"], aws=keys)) as sandbox:
        shown = sandbox.run("echo $AWS_ACCESS_KEY_ID $AWS_SECRET_ACCESS_KEY $AWS_SESSION_TOKEN").stdout
        assert len(shown.split()) == 3 and "canary" not in shown.lower()


def test_options_that_contradict_each_other_say_so(tmp_path: Path) -> None:
    def error(network: Network) -> str:
        with pytest.raises(InvalidParamsError) as raised:
            Sandbox(network=network).run("true")
        return str(raised.value)

    both = HostRule(rule="api.test", insecure=True, client_cert=ClientCert(chain="", key=""))
    assert "`clientCert`" in error(Network(rules=[both]))
    alone = HostRule(rule="api.test", client_cert=ClientCert(chain="no PEM", key="canary"))
    assert "no certificate" in error(Network(rules=[alone])) and "canary" not in error(Network(rules=[alone]))
    network = Network(allowed_hosts=["api.test"], record=str(tmp_path / "a"), replay=str(tmp_path / "a"))
    assert "`record` and `replay`" in error(network)
    places = Secret(name="KEY", value="sk-canary-0123456789", hosts=["api.test"], places=["websocket"])
    with Sandbox(network=Network(allowed_hosts=["api.test"], secrets=[places])) as sandbox:
        assert sandbox.run("echo $KEY").stdout.strip()


def test_what_was_recorded_is_replayed_without_a_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A process of the client's may have another working directory.
    monkeypatch.chdir(tmp_path)
    with serving() as address:
        network = Network(allowed_hosts=["http://api.test"], hosts={"api.test": address}, record="cassette")
        with Sandbox(network=network) as sandbox:
            assert sandbox.run(GET + "get api.test /a | tail -n 1").stdout == "hello /a\n"
            # It goes on: a network that is set later neither ends it nor begins another.
            with pytest.raises(InvalidParamsError, match="`record`"):
                sandbox.network.set(network)
            assert not sandbox.network.log()[0].insecure
    assert (tmp_path / "cassette" / "exchanges.jsonl").exists()
    network = Network(allowed_hosts=["http://api.test"], hosts={"api.test": address}, replay="cassette")
    with Sandbox(network=network) as sandbox:
        assert sandbox.run(GET + "get api.test /a | tail -n 1").stdout == "hello /a\n"
        assert "the recording has no GET" in sandbox.run(GET + "get api.test /b").stdout


def test_wrong_arguments_say_what_to_write() -> None:
    with pytest.raises(TypeError, match="give `network`"):
        Sandbox(on_request=lambda request: True)
    with pytest.raises(TypeError, match="codepod.Network"):
        Sandbox(network=["api.test"])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="leave it out"):
        Client("http://127.0.0.1:1", network=True)
