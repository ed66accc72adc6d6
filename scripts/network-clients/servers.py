"""Servers on loopback that clients are tried with: python3 servers.py DIRECTORY

DIRECTORY has server.pem, a certificate for api.test and its key. Prints the ports as JSON, and serves until its
standard input ends. Each speaks as much of its protocol as a client needs to greet it, ask for something and leave.
"""
import base64
import hashlib
import http.server
import json
import socketserver
import ssl
import struct
import sys
import threading
import time

context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1] + "/server.pem")

# What is answered to requests whose path ends so; to others, what was asked.
REPLIES = {
    "/feed": b'<rss version="2.0"><channel><title>t</title><item><title>one</title></item></channel></rss>',
    "/arxiv": b'<feed xmlns="http://www.w3.org/2005/Atom"><title>arXiv</title></feed>',
    "/graphql": b'{"data": {"name": "sandbox"}}',
    "/sparql": b'{"head": {"vars": ["s"]}, "results": {"bindings": [{"s": {"type": "literal", "value": "one"}}]}}',
    "/search": b'{"lat": "1.5", "lon": "2.5", "display_name": "a place"}',
    "/getMe": b'{"ok": true, "result": {"id": 7, "is_bot": true, "first_name": "bot", "username": "b"}}',
    "/bucket": b'<ListBucketResult><Name>bucket</Name><Contents><Key>one</Key><Size>3</Size></Contents></ListBucketResult>',
    "/v1/secret/data/a": b'{"data": {"data": {"k": "v"}, "metadata": {}}}',
    "/_cluster/health": b'{"status": "green"}',
}

# What a model says, and the tool that it wants called, whose arguments come in two pieces.
WORDS = ["hello", " from", " a model"]
ARGUMENTS = ['{"city": "Ber', 'lin", "days": 3}']


def openai_reply(asked):
    """A reply of OpenAI's chat completions: whole, or its events."""
    common = {"id": "c1", "created": 1, "model": asked["model"]}
    call = {"id": "t1", "type": "function", "function": {"name": "weather", "arguments": "".join(ARGUMENTS)}}
    if not asked.get("stream"):
        wants_json = asked.get("response_format", {}).get("type") == "json_schema"
        message = {"role": "assistant", "content": call["function"]["arguments"] if wants_json else "".join(WORDS)}
        choices = [{"index": 0, "finish_reason": "stop", "message": message}]
        return common | {"object": "chat.completion", "choices": choices, "usage": {"prompt_tokens": 1, "completion_tokens": 3, "total_tokens": 4}}
    deltas = [{"role": "assistant", "content": WORDS[0]}, *({"content": word} for word in WORDS[1:])]
    if asked.get("tools"):
        function = call["function"]
        deltas = [{"role": "assistant", "tool_calls": [call | {"index": 0, "function": function | {"arguments": ARGUMENTS[0]}}]},
                  {"tool_calls": [{"index": 0, "function": {"arguments": ARGUMENTS[1]}}]}]
    chunks = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    chunks.append({"index": 0, "delta": {}, "finish_reason": "tool_calls" if asked.get("tools") else "stop"})
    events = [json.dumps(common | {"object": "chat.completion.chunk", "choices": [chunk]}) for chunk in chunks]
    return [f"data: {event}\n\n" for event in [*events, "[DONE]"]]


def anthropic_reply(asked):
    """A reply of Anthropic's messages: whole, or its events."""
    message = {"id": "m1", "type": "message", "role": "assistant", "model": asked["model"], "stop_sequence": None}
    usage = {"input_tokens": 1, "output_tokens": 3}
    if not asked.get("stream"):
        return message | {"content": [{"type": "text", "text": "".join(WORDS)}], "stop_reason": "end_turn", "usage": usage}
    block, deltas = {"type": "text", "text": ""}, [{"type": "text_delta", "text": word} for word in WORDS]
    if asked.get("tools"):
        block = {"type": "tool_use", "id": "t1", "name": "weather", "input": {}}
        deltas = [{"type": "input_json_delta", "partial_json": part} for part in ARGUMENTS]
    events = [
        {"type": "message_start", "message": message | {"content": [], "stop_reason": None, "usage": usage}},
        {"type": "content_block_start", "index": 0, "content_block": block},
        *({"type": "content_block_delta", "index": 0, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": usage},
        {"type": "message_stop"},
    ]
    return [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events]


MODELS = {"/v1/chat/completions": openai_reply, "/v1/messages": anthropic_reply}


class Pages(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, body, *fields):
        self.send_response(status)
        for name, value in (("Content-Type", "application/json"), ("Content-Length", str(len(body))), *fields):
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def handle_method(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = self.path.partition("?")[0].rstrip("/")
        if self.headers.get("Transfer-Encoding") == "chunked":
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        if self.headers.get("Upgrade", "").lower() == "websocket":
            return self.websocket()
        if path == "/socket.io":
            return self.socket_io(body)
        if path in MODELS:
            reply = MODELS[path](json.loads(body))
            return self.events(reply) if isinstance(reply, list) else self.answer(200, json.dumps(reply).encode())
        if path == "/events":
            return self.answer(200, b"event: greeting\ndata: hello\n\n", ("Content-Type", "text/event-stream"))
        found = next((reply for end, reply in REPLIES.items() if path.endswith(end)), None)
        if found is None:
            found = json.dumps({"ok": True, "id": 7, "name": "sandbox", "method": self.command, "path": self.path,
                                "length": len(body), "sha256": hashlib.sha256(body).hexdigest(), "data": [], "items": [],
                                "version": {"number": "8.0.0", "distribution": "opensearch"}, "tagline": "You Know, for Search"}).encode()
        # An object of S3 that was put has an answer without a body.
        if self.command == "PUT" and "X-Amz-Date" in self.headers:
            found = b""
        # What its client wants to see before it believes.
        self.answer(200, found, ("X-Elastic-Product", "Elasticsearch"), ("ETag", '"7"'))

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = do_PATCH = handle_method

    def events(self, events):
        """Events, each when it is there."""
        self.send_response(200)
        for name, value in (("Content-Type", "text/event-stream"), ("Transfer-Encoding", "chunked")):
            self.send_header(name, value)
        self.end_headers()
        for event in events:
            self.wfile.write(f"{len(event):x}\r\n{event}\r\n".encode())
            self.wfile.flush()
            time.sleep(0.1)
        self.wfile.write(b"0\r\n\r\n")

    def websocket(self):
        key = self.headers["Sec-WebSocket-Key"].encode() + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        self.send_response(101)
        for name, value in (("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Accept", base64.b64encode(hashlib.sha1(key).digest()).decode())):
            self.send_header(name, value)
        self.end_headers()
        self.close_connection = True
        while head := self.rfile.read(2):
            code, size = head[0] & 15, head[1] & 127
            if size == 126:
                (size,) = struct.unpack(">H", self.rfile.read(2))
            elif size == 127:
                (size,) = struct.unpack(">Q", self.rfile.read(8))
            mask = self.rfile.read(4)
            data = bytes(byte ^ mask[i % 4] for i, byte in enumerate(self.rfile.read(size)))
            length = bytes([size]) if size < 126 else b"\x7e" + struct.pack(">H", size) if size < 65536 else b"\x7f" + struct.pack(">Q", size)
            self.wfile.write(bytes([0x80 | (10 if code == 9 else code)]) + length + data)
            self.wfile.flush()
            if code == 8:
                return

    def socket_io(self, body):
        if self.command == "POST":
            return self.answer(200, b"ok")
        sid = self.path.partition("sid=")[2].partition("&")[0]
        if not sid:
            sid = f"s{len(self.server.sessions)}"
            self.server.sessions[sid] = [b'40{"sid":"n"}', b'42["greeting",{"hello":"sandbox"}]']
            return self.answer(200, b'0{"sid":"%s","upgrades":[],"pingTimeout":20000,"pingInterval":25000,"maxPayload":100000}' % sid.encode())
        if not self.server.sessions[sid]:
            # Nothing more happens: a client is kept waiting for a while.
            time.sleep(0.5)
        return self.answer(200, self.server.sessions[sid].pop(0) if self.server.sessions[sid] else b"6")

    def log_message(self, *arguments):
        pass


class Lines(socketserver.StreamRequestHandler):
    def say(self, text):
        self.wfile.write(text if isinstance(text, bytes) else text.encode() + b"\r\n")
        self.wfile.flush()

    def upgrade(self):
        self.connection = context.wrap_socket(self.connection, server_side=True)
        self.rfile, self.wfile = self.connection.makefile("rb"), self.connection.makefile("wb")


class Smtp(Lines):
    def handle(self):
        self.say("220 api.test ready")
        while line := self.rfile.readline():
            word = line.split()[0].upper()
            if word == b"EHLO":
                self.say("250-api.test\r\n250-STARTTLS\r\n250 SIZE 10000000" if not isinstance(self.connection, ssl.SSLSocket) else "250 api.test")
            elif word == b"STARTTLS":
                self.say("220 go")
                self.upgrade()
            elif word == b"DATA":
                self.say("354 go")
                while self.rfile.readline() not in (b".\r\n", b""):
                    pass
                self.say("250 taken")
            elif word == b"QUIT":
                return self.say("221 bye")
            else:
                self.say("250 fine")


class Imap(Lines):
    def handle(self):
        self.say("* OK [CAPABILITY IMAP4rev1] ready")
        while line := self.rfile.readline():
            tag, _, rest = line.decode().strip().partition(" ")
            word = rest.split()[0].upper()
            if word == "CAPABILITY":
                self.say("* CAPABILITY IMAP4rev1")
            elif word in ("SELECT", "EXAMINE"):
                self.say("* 3 EXISTS\r\n* OK [UIDVALIDITY 1] valid")
            elif word == "LOGOUT":
                self.say("* BYE")
            self.say(f"{tag} OK done")
            if word == "LOGOUT":
                return


class Pop(Lines):
    def handle(self):
        self.say("+OK ready")
        while line := self.rfile.readline():
            self.say("+OK 2 200" if line.upper().startswith(b"STAT") else "+OK")
            if line.upper().startswith(b"QUIT"):
                return


class Redis(Lines):
    def handle(self):
        kept = {}
        while head := self.rfile.readline():
            words = []
            for _ in range(int(head[1:])):
                size = int(self.rfile.readline()[1:])
                words.append(self.rfile.read(size))
                self.rfile.read(2)
            match words[0].upper():
                case b"SET":
                    kept[words[1]] = words[2]
                    self.say("+OK")
                case b"GET":
                    value = kept.get(words[1], b"")
                    self.say(b"$%d\r\n%s\r\n" % (len(value), value))
                case b"PING":
                    self.say("+PONG")
                case b"HELLO":
                    self.say("-ERR unknown command")
                case _:
                    self.say("+OK")


class Memcached(Lines):
    def handle(self):
        kept = {}
        while line := self.rfile.readline():
            words = line.split()
            if words[0] == b"set":
                kept[words[1]] = self.rfile.read(int(words[4]) + 2)[:-2]
                self.say("STORED")
            elif words[0] == b"get":
                value = kept.get(words[1], b"")
                self.say(b"VALUE %s 0 %d\r\n%s\r\nEND\r\n" % (words[1], len(value), value))
            else:
                return


class Nats(Lines):
    def handle(self):
        self.say('INFO {"server_id":"s","version":"2.10.0","proto":1,"max_payload":1048576,"tls_required":true}')
        self.upgrade()
        while line := self.rfile.readline():
            words = line.split()
            if words[0] == b"PING":
                self.say("PONG")
            elif words[0] == b"SUB":
                number = words[-1]
            elif words[0] == b"PUB":
                data = self.rfile.read(int(words[-1]) + 2)
                self.say(b"MSG %s %s %s\r\n%s" % (words[1], number, words[-1], data))


class Mqtt(socketserver.StreamRequestHandler):
    def handle(self):
        while head := self.rfile.read(1):
            size, shift = 0, 0
            while True:
                byte = self.rfile.read(1)[0]
                size |= (byte & 127) << shift
                shift += 7
                if byte < 128:
                    break
            body = self.rfile.read(size)
            reply = {0x10: b"\x20\x02\0\0", 0x80: b"\x90\x03" + body[:2] + b"\0", 0xC0: b"\xd0\0"}.get(head[0] & 0xF0, b"")
            if head[0] & 0xF0 == 0x30:
                reply = head + bytes([size]) + body
            self.wfile.write(reply)
            self.wfile.flush()


class Postgres(socketserver.BaseRequestHandler):
    def take(self, size):
        data = b""
        while len(data) < size and (part := self.request.recv(size - len(data))):
            data += part
        return data

    def handle(self):
        def message(kind, body=b""):
            return kind + struct.pack(">I", len(body) + 4) + body

        assert self.take(8)[4:] == struct.pack(">I", 80877103), "it asks for TLS"
        self.request.sendall(b"S")
        self.request = context.wrap_socket(self.request, server_side=True)
        self.take(struct.unpack(">I", self.take(4))[0] - 4)
        ready = message(b"Z", b"I")
        self.request.sendall(message(b"R", bytes(4)) + message(b"S", b"server_version\x0016.0\0") + message(b"S", b"client_encoding\0UTF8\0") + ready)
        while kind := self.take(1):
            body = self.take(struct.unpack(">I", self.take(4))[0] - 4)
            row = message(b"T", struct.pack(">H", 1) + b"a\0" + struct.pack(">IHIhih", 0, 0, 23, 4, -1, 0)) + message(b"D", struct.pack(">HI", 1, 1) + b"7") + message(b"C", b"SELECT 1\0")
            self.request.sendall({
                b"Q": (row if b"select 7" in body else message(b"C", b"BEGIN\0")) + ready,
                b"P": message(b"1"), b"B": message(b"2"), b"C": message(b"3"),
                b"D": message(b"t", bytes(2)) + message(b"T", struct.pack(">H", 1) + b"a\0" + struct.pack(">IHIhih", 0, 0, 23, 4, -1, 0)),
                b"E": message(b"D", struct.pack(">HI", 1, 1) + b"7") + message(b"C", b"SELECT 1\0"), b"S": ready,
            }.get(kind, b""))


class Irc(Lines):
    def handle(self):
        while line := self.rfile.readline():
            if line.startswith(b"USER"):
                self.say(":api.test 001 me :welcome")
            elif line.startswith(b"JOIN"):
                self.say(":me!me@a JOIN #a")
                self.say(":you!you@a PRIVMSG #a :hello")


class Stomp(Lines):
    def handle(self):
        data = b""
        while part := self.connection.recv(4096):
            data += part
            while b"\0" in data:
                frame, _, data = data.lstrip(b"\r\n").partition(b"\0")
                if frame.startswith((b"CONNECT", b"STOMP")):
                    self.say(b"CONNECTED\nversion:1.1\n\n\0")
                elif frame.startswith(b"SEND"):
                    self.say(b"MESSAGE\nsubscription:1\nmessage-id:1\ndestination:/q\n\n" + frame.partition(b"\n\n")[2] + b"\0")


class Ldap(socketserver.BaseRequestHandler):
    def handle(self):
        while data := self.request.recv(4096):
            number, kind = data[4], data[5]
            if kind == 0x60:
                self.request.sendall(b"\x30\x0c\x02\x01" + bytes([number]) + b"\x61\x07\x0a\x01\x00\x04\x00\x04\x00")
            elif kind == 0x63:
                self.request.sendall(b"\x30\x0c\x02\x01" + bytes([number]) + b"\x65\x07\x0a\x01\x00\x04\x00\x04\x00")


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True
    sessions = {}

    def __init__(self, handler, is_tls=True):
        super().__init__(("127.0.0.1", 0), handler)
        self.is_tls = is_tls
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def finish_request(self, request, address):
        try:
            if self.is_tls:
                request = context.wrap_socket(request, server_side=True)
            super().finish_request(request, address)
        except (OSError, ValueError, IndexError):
            pass
        finally:
            request.close()


ports = {"api": Server(Pages).server_address[1]}
for name, handler, is_tls in (
    ("smtp", Smtp, False), ("smtps", Smtp, True), ("imaps", Imap, True), ("pops", Pop, True), ("redis", Redis, True),
    ("memcached", Memcached, True), ("nats", Nats, False), ("mqtt", Mqtt, True), ("postgres", Postgres, False), ("irc", Irc, True),
    ("stomp", Stomp, True), ("ldap", Ldap, True),
):
    ports[name] = Server(handler, is_tls).server_address[1]
print(json.dumps(ports), flush=True)
sys.stdin.read()
