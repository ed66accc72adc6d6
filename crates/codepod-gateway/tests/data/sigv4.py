"""Makes sigv4.tsv: requests signed by botocore, which shares no line with what is tested.

    pip install botocore && python sigv4.py > sigv4.tsv
"""

import datetime
import random
from unittest import mock
from urllib.parse import quote

import botocore
from botocore.auth import S3SigV4Auth, SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
WORDS = ["a", "key", "Key", "x y", "ä€", "a/b", "a+b", "~tilde", "1", "sub.resource", "=", "&", "%", "a:b", "*", "'()!"]
PATHS = ["", "/", "/a", "/a/", "/a//b", "/./a", "/a/../b", "/a/b/..", "/../x", "//", "/x y/ä", "/a+b/(c)", "/a:b/c=d@e,f", "/%25", "/~u/.-_"]

chance = random.Random(4)


def some(words, most):
    return [chance.choice(words) for _ in range(chance.randint(0, most))]


def case(number):
    is_s3 = number % 2 == 0
    service = "s3" if is_s3 else chance.choice(["dynamodb", "iam", "sts", "execute-api", "bedrock"])
    region = chance.choice(["us-east-1", "eu-central-1", "ap-southeast-2"])
    host = f"{service}.{region}.amazonaws.com" + chance.choice(["", "", ":8443"])
    path = quote(PATHS[(number // 2) % len(PATHS)], safe="/~")
    if is_s3 and not path:
        # What goes over the wire has a path; for S3 botocore signs it as it is written.
        path = "/"
    query = "&".join(
        quote(word, safe="~") + chance.choice(["", "=", "=" + quote(chance.choice(WORDS), safe="~")])
        for word in some(WORDS, 5)
    )
    method = chance.choice(["GET", "GET", "PUT", "POST", "DELETE", "HEAD"])
    body = chance.choice([b"", b"{}", b"hello", bytes(range(256))]) if method in ("PUT", "POST") else b""
    headers = {}
    for name in some(["X-Amz-Target", "Content-Type", "X-Amz-Meta-Note", "If-Match", "Range"], 4):
        headers[name] = chance.choice(["plain", "  two   blanks ", "a,b;c", "text/plain; charset=utf-8", '"a  b"'])
    # Among what is sent, and not signed.
    headers["User-Agent"] = "a client"
    token = chance.choice([None, None, "FwoGZXIvYXdzE//example+token=="])
    when = datetime.datetime(2015, 8, 30, 12, 36, tzinfo=datetime.timezone.utc)
    when += datetime.timedelta(seconds=chance.randint(0, 400_000_000))
    url = f"https://{host}{path}" + ("?" + query if query else "")
    request = AWSRequest(method, url, headers=headers, data=body)
    if is_s3 and chance.random() < 0.3:
        request.context["client_config"] = mock.Mock(s3={"payload_signing_enabled": False})
    auth = (S3SigV4Auth if is_s3 else SigV4Auth)(Credentials("AKIDEXAMPLE", SECRET, token), service, region)
    with mock.patch("botocore.auth.get_current_datetime", return_value=when):
        auth.add_auth(request)
    authorization = request.headers["Authorization"]
    _, signed, signature = (part.split("=", 1)[1] for part in authorization.split(", "))
    payload = request.headers.get("X-Amz-Content-SHA256") or auth.payload(request)
    fields = {"host": host, **{name.lower(): value for name, value in request.headers.items()}}
    del fields["authorization"]
    fields = "&".join(f"{name}={quote(str(value), safe='')}" for name, value in fields.items())
    date = request.headers["X-Amz-Date"]
    return [service, region, date, method, path or "/", query, fields, payload, signed, signature]


print(f"# Made by sigv4.py with botocore {botocore.__version__}; the secret is in there.")
print("# service, region, date, method, path, query, fields, payload, signed fields, signature")
for number in range(60):
    print("\t".join(case(number)))
