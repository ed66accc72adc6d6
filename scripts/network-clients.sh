#!/bin/bash
# Clients of Python as they are on PyPI, inside a sandbox, each against a server of its protocol on loopback, over TLS
# that the gateway does: a line for each with its version and whether it works.
# usage: scripts/network-clients.sh [CODEPOD] [NAME…]
#
# CODEPOD is the command `codepod`, built with the guests; `real` in its place runs the same with the machine's own
# Python, which tells a fault of ours from one of a server here; it needs pydantic_core and jiter of its own. NAME is a client of network-clients/clients.py, all of
# them otherwise. Pure wheels are fetched once, into the cache directory; nothing of them is part of this repository.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)/network-clients
codepod=${1:-codepod}
shift || true
python=${PYTHON:-python3}
cache=${CODEPOD_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/codepod}/network-clients
site=$cache/site
packages=$(cat "$here/packages.txt")

if [ "$(cat "$cache/packages.txt" 2> /dev/null)" != "$packages" ]; then
    rm -rf "$cache"
    mkdir -p "$cache"
    install=("$python" -m pip install -q --disable-pip-version-check --no-warn-conflicts --root-user-action=ignore
        --upgrade --target "$site")
    # A line at a time: clients of one need not agree with those of another on what both need. `--no-deps` is for
    # those that need what comes compiled with the sandbox's Python (pydantic_core, jiter): there is no pure wheel of it.
    while read -r line; do
        # shellcheck disable=SC2086
        "${install[@]}" --only-binary=:all: --platform any --abi none --implementation py --python-version 3.14 $line
    done <<< "$packages"
    # It has no pure wheel, and builds one.
    AIOHTTP_NO_EXTENSIONS=1 "${install[@]}" --no-deps --no-binary aiohttp aiohttp
    echo "$packages" > "$cache/packages.txt"
fi

work=$(mktemp -d)
trap 'kill "${server:-}" 2> /dev/null || true; rm -rf "$work"' EXIT
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj "/CN=an authority" \
    -addext keyUsage=keyCertSign -keyout "$work/ca.key" -out "$work/ca.pem" 2> /dev/null
openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=api.test" -keyout "$work/key.pem" \
    -out "$work/request.pem" 2> /dev/null
openssl x509 -req -days 30 -in "$work/request.pem" -CA "$work/ca.pem" -CAkey "$work/ca.key" -CAcreateserial \
    -extfile <(printf 'subjectAltName=DNS:api.test\nauthorityKeyIdentifier=keyid\n') -out "$work/chain.pem" 2> /dev/null
cat "$work/chain.pem" "$work/key.pem" > "$work/server.pem"
mkfifo "$work/end"
"$python" "$here/servers.py" "$work" > "$work/ports" < "$work/end" &
server=$!
exec 3> "$work/end"
while [ ! -s "$work/ports" ]; do sleep 0.2; done

if [ "$codepod" = real ]; then
    cat > "$work/sitecustomize.py" <<'PYTHON'
import socket

resolve = socket.getaddrinfo
socket.getaddrinfo = lambda host, *rest, **options: resolve("127.0.0.1" if host in ("api.test", b"api.test") else host, *rest, **options)
PYTHON
    export PYTHONPATH=$work:$site {SSL_CERT_FILE,REQUESTS_CA_BUNDLE,AWS_CA_BUNDLE}="$work/ca.pem"
    names=("$@")
    [ ${#names[@]} -gt 0 ] || mapfile -t names < <(sed -n 's/^def \([a-z]\w*\)():$/\1/p' "$here/clients.py" | tr _ -)
    for name in "${names[@]}"; do
        timeout 60 "$python" "$here/clients.py" "$work/ports" "$name" 2> "$work/errors" || echo "$name: no end"
    done
    exit
fi

options=(--resolve api.test=127.0.0.1 --ca "$work/ca.pem")
while IFS=' ' read -r name port; do
    case $name in
    api) options+=(--allow-host "https://api.test:$port") ;;
    *) options+=(--allow-host "tcp://api.test:$port") ;;
    esac
done < <("$python" -c 'import json, sys; [print(*pair) for pair in json.load(sys.stdin).items()]' < "$work/ports")
cp "$work/ports" "$work/inside.json"
mkdir "$work/program"
cp "$here/clients.py" "$work/ports" "$work/program"
# A process for each, as programs are.
"$codepod" run --no-hints --timeout 1800 --memory 1024 "${options[@]}" --mount "$site:/site" --mount "$work/program:/program" \
    --env PYTHONPATH=/site -- '
    names=("$@")
    [ ${#names[@]} -gt 0 ] || mapfile -t names < <(sed -n "s/^def \([a-z][a-z0-9_]*\)():\$/\1/p" /program/clients.py | tr _ -)
    for name in "${names[@]}"; do
        timeout 60 python3 -W ignore /program/clients.py /program/ports "$name" 2> /tmp/errors || echo "$name: no end"
    done' "$@"
