"""A server for curl: it says what it was asked, and answers in the ways that curl has options for.

usage: server.py CERTIFICATE KEY AUTHORITY

Writes the ports of http, https and https with client certificates, and ends with its standard
input. What it sends depends on the request alone; what differs from one curl to the next is masked.
"""
import base64
import gzip
import hashlib
import json
import re
import ssl
import sys
import threading
import time
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, unquote, urlsplit

DATE = "Thu, 19 Nov 2026 00:00:00 GMT"
MODIFIED = "Sat, 01 Jan 2022 12:00:00 GMT"
tried = {}


def text_of(data):
    """Bytes for JSON: as text, or as their digest."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return f"{len(data)} bytes, {hashlib.sha256(data).hexdigest()}"


def parts_of(kind, body):
    """The parts of a form, without the boundary, which is random."""
    boundary = re.search(r'boundary="?([^";]+)', kind)[1].encode()
    return [text_of(part.strip(b"\r\n")) for part in body.split(b"--" + boundary)[1:-1]]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def body(self):
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            data = b""
            while size := int(self.rfile.readline().split(b";")[0], 16):
                data += self.rfile.read(size)
                self.rfile.readline()
            while self.rfile.readline() not in (b"\r\n", b""):
                pass
            return data
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def answer(self, status=200, body=b"", headers=(), reason=None, kind="text/plain"):
        self.send_response_only(status, reason)
        self.send_header("Server", "curl's")
        self.send_header("Date", DATE)
        if status not in (204, 304):
            self.send_header("Content-Type", kind)
            if not any(name == "Transfer-Encoding" for name, _ in headers):
                self.send_header("Content-Length", str(len(body)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD" and status not in (204, 304):
            self.wfile.write(body)

    def json(self, value, status=200, headers=()):
        self.answer(status, (json.dumps(value, indent=1) + "\n").encode(), headers, kind="application/json")

    def asked(self):
        """What was asked, with what any curl says in one way."""
        url, body = urlsplit(self.path), self.body()
        kind = self.headers.get("Content-Type", "")
        is_form = kind.startswith("multipart/")
        masks = [(r"^curl/[\d.]+.*", "curl/*"), (r"(boundary=)\S+", r"\1*"), (r"cnonce=\"[^\"]*\"|response=\"[^\"]*\"", "*")]
        headers = []
        for name, value in self.headers.items():
            for pattern, masked in masks:
                value = re.sub(pattern, masked, value)
            if not (is_form and name.lower() == "content-length"):
                headers.append([name, value])
        return {
            "method": self.command,
            "path": url.path,
            "query": url.query,
            "headers": headers,
            "body": parts_of(kind, body) if is_form else text_of(body),
        }

    def do(self):
        url = urlsplit(self.path)
        words = unquote(url.path).strip("/").split("/")
        query = dict(parse_qsl(url.query))
        handler = getattr(self, "on_" + words[0].replace("-", "_"), None)
        try:
            (handler or (lambda *_: self.json(self.asked(), 404)))(words[1:], query)
        except (BrokenPipeError, ConnectionResetError, ssl.SSLError):
            self.close_connection = True

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = do_PATCH = do_OPTIONS = do_PROPFIND = do_BREW = do

    def on_anything(self, *_):
        self.json(self.asked())

    def on_text(self, words, _):
        self.answer(body=("/".join(words) + "\n").encode())

    def on_status(self, words, _):
        self.body()
        self.answer(int(words[0]), f"status {words[0]}\n".encode())

    def on_reason(self, words, _):
        self.answer(200, b"x\n", reason=" ".join(words))

    def on_bytes(self, words, _):
        size = int(words[0])
        data = bytes(i * i % 251 for i in range(min(size, 65536))) * (size // 65536 + 1)
        self.answer(body=data[:size], kind="application/octet-stream")

    def on_redirect(self, words, query):
        self.body()
        count = int(words[0])
        where = query.get("to") or (f"/redirect/{count - 1}" if count > 1 else "/anything/end")
        self.answer(int(query.get("status", 302)), b"moved\n", [("Location", where)])

    def on_cookies(self, words, query):
        if words[:1] == ["set"]:
            cookies = [("Set-Cookie", f"{name}={value}; Path=/") for name, value in query.items()]
            return self.answer(302, b"", [*cookies, ("Location", "/cookies")])
        if words[:1] == ["many"]:
            return self.answer(body=b"x\n", headers=[
                ("Set-Cookie", "a=1; Path=/"), ("Set-Cookie", "b=2; Path=/anything; Secure"),
                ("Set-Cookie", "c=3; Domain=.test; HttpOnly"), ("Set-Cookie", "d=4; Path=/; Expires=Fri, 01 Jan 2038 00:00:00 GMT"),
                ("Set-Cookie", "e=5; Max-Age=0")])
        self.json({"cookies": self.headers.get("Cookie")})

    def on_basic(self, words, _):
        given = self.headers.get("Authorization", "")
        right = "Basic " + base64.b64encode(":".join(words).encode()).decode()
        if given == right:
            return self.json({"user": words[0]})
        self.answer(401, b"who?\n", [("WWW-Authenticate", 'Basic realm="here"')])

    def on_digest(self, words, query):
        user, password = words[:2]
        algorithm = query.get("algorithm", "MD5")
        hashed = {"MD5": hashlib.md5, "SHA-256": hashlib.sha256}[algorithm]
        of = lambda text: hashed(text.encode()).hexdigest()
        given = dict(re.findall(r'(\w+)="?([^",]+)"?', self.headers.get("Authorization", "")))
        if given:
            first, second = of(f"{user}:here:{password}"), of(f"{self.command}:{given['uri']}")
            right = of(f"{first}:{given['nonce']}:{given['nc']}:{given['cnonce']}:{given['qop']}:{second}")
            if given["response"] == right and given["username"] == user:
                return self.json({"user": user})
        challenge = f'Digest realm="here", nonce="abc", qop="auth", algorithm={algorithm}'
        self.body()
        self.answer(401, b"who?\n", [("WWW-Authenticate", challenge)])

    def on_encoded(self, words, _):
        encode = {
            "gzip": lambda data: gzip.compress(data, mtime=0),
            "deflate": zlib.compress,
            "br": lambda _: BROTLI,
            "zstd": lambda _: ZSTD,
            "wrong": lambda data: data,
        }[words[0]]
        named = "gzip" if words[0] == "wrong" else words[0]
        self.answer(body=encode(b"a text that is encoded\n" * 20), headers=[("Content-Encoding", named), ("Vary", "Accept-Encoding")])

    def on_chunked(self, words, _):
        self.answer(headers=[("Transfer-Encoding", "chunked"), ("Trailer", "After")])
        for i in range(int(words[0])):
            self.wfile.write(b"7\r\nchunk " + str(i % 10).encode() + b"\r\n")
        self.wfile.write(b"0\r\nAfter: all\r\n\r\n")

    def on_range(self, words, _):
        data = bytes(b"abcdefghijklmnopqrstuvwxyz" * 4)
        asked = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", ""))
        if not asked:
            return self.answer(body=data, headers=[("Accept-Ranges", "bytes")])
        begin, end = asked.groups()
        first = int(begin) if begin else len(data) - int(end)
        last = min(int(end), len(data) - 1) if begin and end else len(data) - 1
        if first >= len(data):
            return self.answer(416, b"no\n", [("Content-Range", f"bytes */{len(data)}")])
        self.answer(206, data[first:last + 1], [("Content-Range", f"bytes {first}-{last}/{len(data)}")])

    def on_dated(self, *_):
        if self.headers.get("If-Modified-Since") or self.headers.get("If-None-Match") == '"tag"':
            return self.answer(304, headers=[("ETag", '"tag"')])
        self.answer(body=b"dated\n", headers=[("Last-Modified", MODIFIED), ("ETag", '"tag"')])

    def on_named(self, words, _):
        self.answer(body=b"named\n", headers=[("Content-Disposition", f'attachment; filename="{words[0]}"')])

    def on_fails(self, words, _):
        """/fails/NAME/TIMES/STATUS: that often, and then it works."""
        name, times, status = words
        tried[name] = tried.get(name, 0) + 1
        if tried[name] <= int(times):
            return self.answer(int(status), b"not yet\n", [("Retry-After", "0")])
        self.answer(body=f"after {tried[name]}\n".encode())

    def on_slow(self, words, _):
        self.answer(headers=[("Transfer-Encoding", "chunked")])
        for _ in range(int(words[0])):
            self.wfile.write(b"2\r\n.\n\r\n")
            self.wfile.flush()
            time.sleep(0.2)
        self.wfile.write(b"0\r\n\r\n")

    def on_hangs(self, *_):
        time.sleep(5)
        self.close_connection = True

    def on_short(self, *_):
        self.send_response_only(200)
        self.send_header("Date", DATE)
        self.send_header("Content-Length", "100")
        self.end_headers()
        self.wfile.write(b"too short\n")
        self.close_connection = True

    def on_close(self, *_):
        self.close_connection = True

    def on_headers(self, *_):
        self.answer(body=b"x\n", headers=[("X-One", "1"), ("x-two", "two  words"), ("X-One", "again"), ("X-Empty", "")])

    def on_old(self, *_):
        self.wfile.write(b"HTTP/1.0 200 OK\r\nDate: " + DATE.encode() + b"\r\nContent-Type: text/plain\r\n\r\nold\n")
        self.close_connection = True

    def on_expect(self, *_):
        self.json({"expect": self.headers.get("Expect"), "length": len(self.body())})

    def on_refused(self, *_):
        """A server that does not want the body."""
        self.answer(413, b"too much\n", [("Connection", "close")])
        self.close_connection = True

    def on_certificate(self, *_):
        subject = self.connection.getpeercert()["subject"]
        self.json({"subject": subject})


def compressed(name):
    return base64.b64decode({
        "br": "H8sB+I2UqsO7CktLEIW5lKQTxtIEbUTCd3aVvwU=",
        "zstd": "KLUv/QBo9QAAuGEgdGV4dCB0aGF0IGlzIGVuY29kZWQKAQBlVZ1N",
    }[name])


BROTLI, ZSTD = compressed("br"), compressed("zstd")


class Server(ThreadingHTTPServer):
    context = None
    daemon_threads = True
    request_queue_size = 128

    def finish_request(self, request, client_address):
        if self.context is not None:
            try:
                request.settimeout(20)
                request = self.context.wrap_socket(request, server_side=True)
            except (ssl.SSLError, OSError):
                return
        try:
            self.RequestHandlerClass(request, client_address, self)
        finally:
            if self.context is not None:
                try:
                    request.unwrap()
                except (ssl.SSLError, OSError, ValueError):
                    pass
                request.close()


def serve(context):
    server = Server(("127.0.0.1", 0), Handler)
    server.context = context
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_port


def context_of(certificate, key, authority=None):
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)
    context.set_alpn_protocols(["http/1.1"])
    if authority:
        context.load_verify_locations(authority)
        context.verify_mode = ssl.CERT_REQUIRED
    return context


def with_bad_ones(context):
    """Shows to who asks for one of these names a certificate that is not good."""
    bad = {f"{name}.test": context_of(f"{name}.pem", f"{name}.key") for name in ("expired", "early", "lonely", "unknown")}

    def choose(connection, name, context):
        connection.context = bad.get(name, context)

    context.sni_callback = choose
    return context


certificate, key, authority = sys.argv[1:]
ports = [serve(None), serve(with_bad_ones(context_of(certificate, key))), serve(context_of(certificate, key, authority))]
print(*ports, flush=True)
sys.stdin.read()
