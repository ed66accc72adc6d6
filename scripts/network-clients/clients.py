"""Clients, each against a server of its protocol: python3 clients.py PORTS [NAME…]

PORTS is a file of JSON with the ports of servers.py, which is at api.test. Prints a line for each client: its version
and `works`, or what went wrong. A client is not changed for that: its authorities are those it finds by itself.
"""
import importlib.metadata
import json
import sys
import traceback

PORTS = json.load(open(sys.argv[1]))
HOST = "api.test"
URL = f"https://{HOST}:{PORTS['api']}"
CLIENTS = {}


def client(*packages):
    def named(function):
        CLIENTS[function.__name__.replace("_", "-")] = packages, function
        return function

    return named


def is_(value, expected):
    assert value == expected, f"{value!r} is not {expected!r}"


BODY = bytes(range(256)) * 1000


@client("requests")
def requests_session():
    import hashlib, requests

    with requests.Session() as session:
        for i in range(3):
            is_(session.get(f"{URL}/r{i}").json()["path"], f"/r{i}")
        is_(session.post(URL, data=BODY).json()["sha256"], hashlib.sha256(BODY).hexdigest())
        is_(session.post(URL, data=iter([b"a", b"b"])).json()["length"], 2)


@client("urllib3")
def urllib3_pool():
    import urllib3

    pool = urllib3.PoolManager(4)
    is_([pool.request("GET", f"{URL}/{i}").json()["path"] for i in range(4)], ["/0", "/1", "/2", "/3"])


@client("httpx")
def httpx_sync():
    import httpx

    with httpx.Client() as own:
        is_(own.put(URL + "/x", content=BODY).json()["length"], len(BODY))


@client("httpx")
def httpx_asyncio():
    import asyncio, httpx

    async def main():
        async with httpx.AsyncClient() as own:
            replies = await asyncio.gather(*(own.get(f"{URL}/{i}") for i in range(5)))
            is_([reply.json()["path"] for reply in replies], [f"/{i}" for i in range(5)])

    asyncio.run(main())


@client("httpx", "trio")
def httpx_trio():
    import httpx, trio

    async def main():
        async with httpx.AsyncClient() as own:
            is_((await own.get(URL)).json()["ok"], True)

    trio.run(main)


@client("httpx-sse")
def httpx_sse():
    import httpx, httpx_sse

    with httpx.Client() as own, httpx_sse.connect_sse(own, "GET", URL + "/events") as source:
        is_([event.data for event in source.iter_sse()], ["hello"])


@client("httpx-ws")
def httpx_ws():
    import httpx, httpx_ws

    with httpx_ws.connect_ws(URL + "/ws", httpx.Client()) as socket:
        socket.send_text("hello")
        is_(socket.receive_text(), "hello")


@client("aiohttp")
def aiohttp_session():
    import aiohttp, asyncio

    async def main():
        async with aiohttp.ClientSession() as session:
            async with session.post(URL + "/a", data=BODY) as reply:
                is_((await reply.json())["length"], len(BODY))
            async with session.ws_connect(URL + "/ws") as socket:
                await socket.send_str("hello")
                is_((await socket.receive()).data, "hello")

    asyncio.run(main())


@client("httplib2")
def httplib2():
    import httplib2

    status, body = httplib2.Http().request(URL + "/h", "GET")
    is_((status.status, json.loads(body)["path"]), (200, "/h"))


@client("websockets")
def websockets_asyncio():
    import asyncio, websockets

    async def main():
        async with websockets.connect(f"wss://{HOST}:{PORTS['api']}/ws") as socket:
            await socket.send("x" * 70000)
            is_(await socket.recv(), "x" * 70000)

    asyncio.run(main())


@client("websocket-client")
def websocket_client():
    import websocket

    socket = websocket.create_connection(f"wss://{HOST}:{PORTS['api']}/ws")
    socket.send("hello")
    is_(socket.recv(), "hello")
    socket.close()


@client("anyio")
def anyio_stream():
    import anyio

    async def main():
        async with await anyio.connect_tcp(HOST, PORTS["api"], tls=True, tls_standard_compatible=False) as stream:
            await stream.send(f"GET /y HTTP/1.1\r\nHost: {HOST}:{PORTS['api']}\r\nConnection: close\r\n\r\n".encode())
            assert (await stream.receive()).startswith(b"HTTP/1.1 200")

    anyio.run(main)


@client("trio")
def trio_stream():
    import trio

    async def main():
        stream = await trio.open_ssl_over_tcp_stream(HOST, PORTS["api"], https_compatible=True)
        await stream.send_all(f"GET /t HTTP/1.1\r\nHost: {HOST}:{PORTS['api']}\r\nConnection: close\r\n\r\n".encode())
        assert (await stream.receive_some(1000)).startswith(b"HTTP/1.1 200")
        await stream.aclose()

    trio.run(main)


@client("aiosmtplib")
def aiosmtplib_starttls():
    import aiosmtplib, asyncio

    async def main():
        async with aiosmtplib.SMTP(hostname=HOST, port=PORTS["smtp"], start_tls=True) as server:
            is_((await server.sendmail("a@a.test", ["b@b.test"], "hello"))[1], "taken")

    asyncio.run(main())


@client("aiosmtplib")
def aiosmtplib_tls():
    import aiosmtplib, asyncio

    async def main():
        async with aiosmtplib.SMTP(hostname=HOST, port=PORTS["smtps"], use_tls=True) as server:
            is_((await server.sendmail("a@a.test", ["b@b.test"], "hello"))[1], "taken")

    asyncio.run(main())


@client()
def smtplib_():
    import smtplib, ssl

    with smtplib.SMTP(HOST, PORTS["smtp"]) as server:
        server.starttls(context=ssl.create_default_context())
        is_(server.sendmail("a@a.test", "b@b.test", "hello"), {})


@client()
def imaplib_():
    import imaplib, ssl

    with imaplib.IMAP4_SSL(HOST, PORTS["imaps"], ssl_context=ssl.create_default_context()) as server:
        server.login("a", "b")
        is_(server.select()[1], [b"3"])


@client()
def poplib_():
    import poplib, ssl

    server = poplib.POP3_SSL(HOST, PORTS["pops"], context=ssl.create_default_context())
    is_(server.stat(), (2, 200))
    server.quit()


@client()
def xmlrpc_client():
    import xmlrpc.client

    try:
        xmlrpc.client.ServerProxy(URL).hello()
    except Exception as error:
        is_(type(error).__name__, "ExpatError")


@client("imapclient")
def imapclient_():
    import imapclient

    with imapclient.IMAPClient(HOST, PORTS["imaps"]) as server:
        server.login("a", "b")
        is_(server.select_folder("INBOX")[b"EXISTS"], 3)


@client("imap-tools")
def imap_tools_():
    import imap_tools

    with imap_tools.MailBox(HOST, PORTS["imaps"]).login("a", "b") as box:
        is_(box.folder.get(), "INBOX")


@client("redis")
def redis_():
    import redis

    own = redis.Redis(HOST, PORTS["redis"], ssl=True, protocol=2)
    own.set("a", "one")
    is_(own.get("a"), b"one")


@client("redis")
def redis_asyncio():
    import asyncio, redis.asyncio

    async def main():
        own = redis.asyncio.Redis(host=HOST, port=PORTS["redis"], ssl=True, protocol=2)
        await own.set("a", "one")
        is_(await own.get("a"), b"one")
        await own.aclose()

    asyncio.run(main())


@client("pymemcache")
def pymemcache_():
    import ssl
    from pymemcache.client.base import Client

    own = Client((HOST, PORTS["memcached"]), tls_context=ssl.create_default_context())
    own.set("a", "one", noreply=False)
    is_(own.get("a"), b"one")


@client("paho-mqtt")
def paho_mqtt():
    import paho.mqtt.client as mqtt

    heard = []
    own = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
    own.tls_set()
    own.on_connect = lambda own, *rest: own.subscribe("t")
    own.on_subscribe = lambda own, *rest: own.publish("t", "hello")

    def on_message(own, data, message):
        heard.append(message.payload)
        own.disconnect()

    own.on_message = on_message
    own.connect(HOST, PORTS["mqtt"])
    own.loop_forever()
    is_(heard, [b"hello"])


@client("pg8000")
def pg8000_():
    import pg8000.native

    with pg8000.native.Connection("me", host=HOST, port=PORTS["postgres"], database="d", ssl_context=True) as own:
        is_(own.run("select 7"), [[7]])


@client("nats-py")
def nats_py():
    import asyncio, nats, ssl

    async def main():
        heard = asyncio.Queue()
        own = await nats.connect(f"tls://{HOST}:{PORTS['nats']}", tls=ssl.create_default_context())
        await own.subscribe("s", cb=heard.put)
        await own.publish("s", b"hello")
        is_((await heard.get()).data, b"hello")
        await own.close()

    asyncio.run(main())


@client("stomp.py")
def stomp_py():
    import stomp, time

    heard = []

    class Listener(stomp.ConnectionListener):
        def on_message(self, frame):
            heard.append(frame.body)

    own = stomp.Connection11([(HOST, PORTS["stomp"])])
    own.set_ssl([(HOST, PORTS["stomp"])])
    own.set_listener("", Listener())
    own.connect(wait=True)
    own.subscribe("/q", 1)
    own.send("/q", "hello")
    for _ in range(50):
        if heard:
            break
        time.sleep(0.1)
    is_(heard, ["hello"])


@client("irc")
def irc_():
    import functools, irc.client, irc.connection, ssl

    heard = []
    reactor = irc.client.Reactor()
    wrap = functools.partial(ssl.create_default_context().wrap_socket, server_hostname=HOST)
    own = reactor.server().connect(HOST, PORTS["irc"], "me", connect_factory=irc.connection.Factory(wrapper=wrap))
    own.add_global_handler("welcome", lambda own, event: own.join("#a"))
    own.add_global_handler("pubmsg", lambda own, event: heard.append(event.arguments))
    for _ in range(50):
        reactor.process_once(0.2)
        if heard:
            break
    is_(heard, [["hello"]])


@client("ldap3")
def ldap3_():
    import ldap3

    own = ldap3.Connection(ldap3.Server(HOST, PORTS["ldap"], use_ssl=True, get_info=None), "cn=a", "b")
    is_(own.bind(), True)


@client("python-socketio")
def python_socketio():
    import queue, socketio

    heard = queue.Queue()
    own = socketio.Client(reconnection=False)
    own.on("greeting", heard.put)
    own.connect(URL, transports=["polling"])
    is_(heard.get(timeout=10), {"hello": "sandbox"})
    own.disconnect()


@client("python-socketio", "aiohttp")
def python_socketio_asyncio():
    import asyncio, socketio

    async def main():
        heard = asyncio.Queue()
        own = socketio.AsyncClient(reconnection=False)
        own.on("greeting", heard.put)
        await own.connect(URL, transports=["polling"])
        is_(await asyncio.wait_for(heard.get(), 10), {"hello": "sandbox"})
        await own.disconnect()

    asyncio.run(main())


@client("boto3")
def boto3_s3():
    import boto3
    from botocore.config import Config

    own = boto3.client("s3", endpoint_url=URL, aws_access_key_id="a", aws_secret_access_key="b", region_name="us-east-1",
                       config=Config(s3={"addressing_style": "path"}))
    is_([entry["Key"] for entry in own.list_objects_v2(Bucket="bucket")["Contents"]], ["one"])
    is_(own.put_object(Bucket="b", Key="k", Body=BODY)["ETag"], '"7"')


@client("slack_sdk")
def slack_sdk_():
    import slack_sdk

    is_(slack_sdk.WebClient("t", base_url=URL + "/api/").chat_postMessage(channel="c", text="t")["ok"], True)


@client("slack_sdk", "aiohttp")
def slack_sdk_async():
    import asyncio
    from slack_sdk.web.async_client import AsyncWebClient

    async def main():
        is_((await AsyncWebClient("t", base_url=URL + "/api/").auth_test())["ok"], True)

    asyncio.run(main())


@client("stripe")
def stripe_():
    import os, stripe

    # It trusts authorities of its own otherwise.
    stripe.ca_bundle_path = os.environ.get("SSL_CERT_FILE", "/etc/ssl/certs/ca-certificates.crt")
    own = stripe.StripeClient("sk_test_a", base_addresses={"api": URL})
    is_(own.raw_request("get", "/v1/balance").code, 200)


HELLO = [{"role": "user", "content": "hello"}]
WORDS = ["hello", " from", " a model"]


def is_stream(parts):
    """Whether pieces of a reply come as the server sends them, a tenth of a second apart, and not all at its end."""
    import time

    begun, times, words = time.monotonic(), [], []
    for part in parts:
        times.append(time.monotonic() - begun)
        words.append(part)
    is_(words, WORDS)
    assert times[-1] - times[0] > 0.1, f"all at once: {times}"


@client("pydantic", "pydantic_core")
def pydantic_model():
    import pydantic

    class Forecast(pydantic.BaseModel):
        city: str
        days: int = pydantic.Field(gt=0)

    is_(Forecast.model_validate_json('{"city": "Berlin", "days": "3"}').days, 3)
    is_(Forecast(city="a", days=1).model_dump_json(), '{"city":"a","days":1}')
    try:
        Forecast(city="a", days=0)
    except pydantic.ValidationError as error:
        is_(error.errors()[0]["type"], "greater_than")
    else:
        raise AssertionError("0 is greater than 0")


@client("openai", "jiter")
def openai_():
    import openai, pydantic

    class Forecast(pydantic.BaseModel):
        city: str
        days: int

    own = openai.OpenAI(base_url=URL + "/v1", api_key="k")
    reply = own.chat.completions.create(model="m", messages=HELLO)
    is_(reply.choices[0].message.content, "".join(WORDS))
    parsed = own.chat.completions.parse(model="m", messages=HELLO, response_format=Forecast)
    is_(parsed.choices[0].message.parsed, Forecast(city="Berlin", days=3))


@client("openai", "jiter")
def openai_stream():
    import openai

    own = openai.OpenAI(base_url=URL + "/v1", api_key="k")
    chunks = own.chat.completions.create(model="m", messages=HELLO, stream=True)
    is_stream(text for chunk in chunks if (text := chunk.choices[0].delta.content))
    tool = {"type": "function", "function": {"name": "weather", "strict": True, "parameters": {"type": "object"}}}
    with own.chat.completions.stream(model="m", messages=HELLO, tools=[tool]) as stream:
        calls = [event.parsed_arguments for event in stream if event.type == "tool_calls.function.arguments.done"]
    is_(calls, [{"city": "Berlin", "days": 3}])


@client("openai", "jiter")
def openai_asyncio():
    import asyncio, openai

    async def main():
        async with openai.AsyncOpenAI(base_url=URL + "/v1", api_key="k") as own:
            asked = [own.chat.completions.create(model=f"m{i}", messages=HELLO) for i in range(3)]
            is_([reply.model for reply in await asyncio.gather(*asked)], ["m0", "m1", "m2"])
            chunks = await own.chat.completions.create(model="m", messages=HELLO, stream=True)
            is_([text async for chunk in chunks if (text := chunk.choices[0].delta.content)], WORDS)

    asyncio.run(main())


@client("anthropic", "jiter")
def anthropic_():
    import anthropic

    own = anthropic.Anthropic(base_url=URL, api_key="k")
    reply = own.messages.create(model="m", max_tokens=9, messages=HELLO)
    is_(reply.content[0].text, "".join(WORDS))


@client("anthropic", "jiter")
def anthropic_stream():
    import anthropic

    own = anthropic.Anthropic(base_url=URL, api_key="k")
    with own.messages.stream(model="m", max_tokens=9, messages=HELLO) as stream:
        is_stream(stream.text_stream)
    tool = {"name": "weather", "input_schema": {"type": "object"}}
    with own.messages.stream(model="m", max_tokens=9, messages=HELLO, tools=[tool]) as stream:
        is_(stream.get_final_message().content[0].input, {"city": "Berlin", "days": 3})


@client("anthropic", "jiter")
def anthropic_asyncio():
    import anthropic, asyncio

    async def main():
        async with anthropic.AsyncAnthropic(base_url=URL, api_key="k") as own:
            async with own.messages.stream(model="m", max_tokens=9, messages=HELLO) as stream:
                is_([text async for text in stream.text_stream], WORDS)

    asyncio.run(main())


@client("twilio")
def twilio_():
    from twilio.http.http_client import TwilioHttpClient

    is_(TwilioHttpClient().request("GET", URL + "/2010").status_code, 200)


@client("sendgrid")
def sendgrid_():
    import sendgrid

    is_(sendgrid.SendGridAPIClient("k", host=URL).client.mail.send.post(request_body={"a": 1}).status_code, 200)


@client("python-gitlab")
def python_gitlab():
    import gitlab

    is_(gitlab.Gitlab(URL, private_token="t").http_get("/user")["name"], "sandbox")


@client("elasticsearch")
def elasticsearch_():
    import elasticsearch

    is_(elasticsearch.Elasticsearch(URL).cluster.health()["status"], "green")


@client("opensearch-py")
def opensearch_py():
    import opensearchpy

    is_(opensearchpy.OpenSearch(URL, verify_certs=True).cluster.health()["status"], "green")


@client("influxdb-client")
def influxdb_client():
    import influxdb_client

    with influxdb_client.InfluxDBClient(URL, "t", org="o") as own:
        own.write_api(influxdb_client.client.write_api.SYNCHRONOUS).write("b", "o", "m f=1")


@client("prometheus-client")
def prometheus_client():
    import prometheus_client

    prometheus_client.push_to_gateway(URL, "job", prometheus_client.CollectorRegistry())


@client("sentry-sdk")
def sentry_sdk_():
    import sentry_sdk

    sent = []
    sentry_sdk.init(f"https://k@{HOST}:{PORTS['api']}/7", default_integrations=False)
    transport = sentry_sdk.get_client().transport
    reply = transport._request("POST", sentry_sdk.transport.EndpointType.ENVELOPE, b"{}", {})
    is_(reply.status, 200)


@client("hvac")
def hvac_():
    import hvac

    is_(hvac.Client(URL, "t").secrets.kv.v2.read_secret_version("a", raise_on_deleted_version=False)["data"]["data"], {"k": "v"})


@client("docker")
def docker_():
    import docker

    tls = docker.tls.TLSConfig(verify=True)
    is_(docker.APIClient(f"tcp://{HOST}:{PORTS['api']}", tls=tls, version="1.41").info()["name"], "sandbox")


@client("jira")
def jira_():
    import jira

    is_(jira.JIRA(URL, get_server_info=False, options={"rest_api_version": "2"})._session.get(URL + "/rest").json()["ok"], True)


@client("gql")
def gql_():
    import gql
    from gql.transport.requests import RequestsHTTPTransport

    own = gql.Client(transport=RequestsHTTPTransport(URL + "/graphql"))
    is_(own.execute(gql.gql("{ name }")), {"name": "sandbox"})


@client("tweepy")
def tweepy_():
    import tweepy

    is_(tweepy.Client("t").session.get(URL + "/2").json()["ok"], True)


@client("yt-dlp")
def yt_dlp_():
    import yt_dlp

    with yt_dlp.YoutubeDL({"quiet": True}) as own:
        is_(json.loads(own.urlopen(URL + "/v").read())["path"], "/v")


@client("requests-oauthlib")
def requests_oauthlib_():
    import requests_oauthlib

    is_(requests_oauthlib.OAuth1Session("k", "s").get(URL + "/o").json()["path"], "/o")


@client("requests-toolbelt")
def requests_toolbelt_():
    import requests, requests_toolbelt

    form = requests_toolbelt.MultipartEncoder({"file": ("f", BODY)})
    is_(requests.post(URL, data=form, headers={"Content-Type": form.content_type}).json()["length"], form.len)


@client("hishel")
def hishel_():
    import hishel

    with hishel.CacheClient(storage=hishel.InMemoryStorage()) as own:
        is_(own.get(URL + "/c").json()["path"], "/c")


@client("pysolr")
def pysolr_():
    import pysolr

    is_(json.loads(pysolr.Solr(URL + "/solr")._send_request("get", "x"))["ok"], True)


@client("python-telegram-bot")
def python_telegram_bot():
    import asyncio, telegram

    async def main():
        async with telegram.Bot("1:t", base_url=URL + "/bot") as own:
            is_((await own.get_me()).id, 7)

    asyncio.run(main())


@client("pyTelegramBotAPI")
def pytelegrambotapi():
    import telebot

    telebot.apihelper.API_URL = URL + "/bot{0}/{1}"
    is_(telebot.TeleBot("1:t").get_me().id, 7)


@client("fsspec", "aiohttp")
def fsspec_http():
    import fsspec

    with fsspec.open(URL + "/file") as file:
        is_(json.load(file)["path"], "/file")


@client("google-auth")
def google_auth():
    import google.auth.transport.requests

    is_(google.auth.transport.requests.Request()(URL + "/g").status, 200)


@client("google-api-python-client")
def google_api_python_client():
    import googleapiclient.http, httplib2

    request = googleapiclient.http.HttpRequest(httplib2.Http(), lambda reply, body: json.loads(body), URL + "/g")
    is_(request.execute()["path"], "/g")


@client("praw")
def praw_():
    import praw, prawcore

    is_(prawcore.Requestor(user_agent="praw/" + praw.__version__).request("GET", URL + "/p").json()["path"], "/p")


@client("feedparser")
def feedparser_():
    import feedparser

    is_([entry.title for entry in feedparser.parse(URL + "/feed").entries], ["one"])


@client("notion-client")
def notion_client():
    import notion_client

    is_(notion_client.Client(auth="t", base_url=URL).users.me()["name"], "sandbox")


@client("spotipy")
def spotipy_():
    import spotipy

    own = spotipy.Spotify("t")
    own.prefix = URL + "/"
    is_(own.me()["name"], "sandbox")


@client("SPARQLWrapper")
def sparqlwrapper():
    import SPARQLWrapper

    own = SPARQLWrapper.SPARQLWrapper(URL + "/sparql", returnFormat=SPARQLWrapper.JSON)
    own.setQuery("SELECT ?s WHERE { ?s ?p ?o }")
    is_(own.queryAndConvert()["results"]["bindings"][0]["s"]["value"], "one")


@client("arxiv")
def arxiv_():
    import arxiv

    own = arxiv.Client(num_retries=0)
    own.query_url_format = URL + "/arxiv?{}"
    is_(list(own.results(arxiv.Search("a"))), [])


@client("geopy")
def geopy_():
    import geopy.geocoders

    own = geopy.geocoders.Nominatim(user_agent="u", domain=f"{HOST}:{PORTS['api']}")
    assert own is not None
    is_(own._call_geocoder(URL + "/search", lambda found: found["lat"]), "1.5")


names = sys.argv[2:] or list(CLIENTS)
for name in names:
    packages, function = CLIENTS[name]
    try:
        versions = " ".join(f"{package} {importlib.metadata.version(package)}" for package in packages) or "the library"
    except importlib.metadata.PackageNotFoundError as error:
        print(f"{name}: is not installed: {error}", flush=True)
        continue
    try:
        function()
        print(f"{name} ({versions}): works", flush=True)
    except BaseException as error:
        last = traceback.format_exception_only(error)[-1].strip().splitlines()[0]
        print(f"{name} ({versions}): FAILS: {last}", flush=True)
