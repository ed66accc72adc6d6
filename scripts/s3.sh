#!/bin/sh
# Saved states in an S3 server on this machine: moto, from PyPI, in an environment of its own in the cache directory.
# Says so and does nothing where it cannot be had. SLOW PARTS: the first run installs moto and compiles an HTTP client.
set -eu
cd "$(dirname "$0")/.."

cache=${CODEPOD_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/codepod}
server=$cache/moto/bin/moto_server
if ! [ -x "$server" ]; then
    mkdir -p "$cache"
    if ! { python3 -m venv "$cache/moto" && "$cache/moto/bin/pip" install -q 'moto[server,s3]==5.2.5'; }; then
        rm -rf "$cache/moto"
        echo "s3: moto cannot be installed on this machine; the test against an S3 server was not run"
        exit 0
    fi
fi

port=${1:-5731}
log=$(mktemp)
"$server" -H 127.0.0.1 -p "$port" >"$log" 2>&1 &
server_id=$!
trap 'kill "$server_id" 2>/dev/null || :; rm -f "$log"' EXIT
trap 'exit 1' INT TERM
ready() {
    python3 - "$port" <<'PYTHON' 2>/dev/null
import sys, urllib.request
address = f"http://127.0.0.1:{sys.argv[1]}/codepod"
urllib.request.urlopen(urllib.request.Request(address, method="PUT"))
PYTHON
}
for _ in $(seq 60); do
    # A server that ended could not listen: another that answers there is not ours.
    kill -0 "$server_id" 2>/dev/null || break
    if ready; then
        CODEPOD_S3=http://127.0.0.1:$port \
            cargo nextest run --package codepod-store --features testing-s3 an_s3_server --no-capture
        exit
    fi
    sleep 0.5
done
echo "s3: the server did not start:" >&2
cat "$log" >&2
exit 1
