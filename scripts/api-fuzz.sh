#!/bin/bash
# Runs schemathesis against a live `codepod serve`: property-based requests from the OpenAPI document. No answer may be a server error or differ from the document.
# usage: scripts/api-fuzz.sh CODEPOD [EXAMPLES]    EXAMPLES: how many for each method (10)
set -euo pipefail
codepod=$1
examples=${2:-10}
cache=${CODEPOD_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/codepod}/tools/schemathesis
top=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$top"' EXIT

if [ ! -e "$cache/ready" ]; then
    rm -rf "$cache"
    python3 -m venv "$cache"
    "$cache/bin/pip" install --quiet --disable-pip-version-check 'schemathesis>=4,<5'
    touch "$cache/ready"
fi

"$codepod" serve --listen 127.0.0.1:0 --log off 2> "$top/said" &
server=$!
for _ in $(seq 200); do
    grep -q cpk_ "$top/said" && break
    kill -0 "$server" || { cat "$top/said"; exit 1; }
    sleep 0.1
done
url=$(sed -n 's/.*listening on //p' "$top/said")
key=$(grep -o 'cpk_.*' "$top/said")
sandbox=$(curl -sf -X POST -H "Authorization: Bearer $key" "$url/v1/sandboxes" | grep -o 'sb_[0-9a-f]*')
printf '[parameters]\n"path.sandbox" = "%s"\n' "$sandbox" > "$top/schemathesis.toml"

# A request that is well-formed may still be refused: there is no such file, or nothing to undo. Destroying would end the rest.
cd "$top"
"$cache/bin/schemathesis" --config-file schemathesis.toml run "$url/v1/openapi.json" --header "Authorization: Bearer $key" \
    --exclude-operation-id sandbox.destroy --exclude-checks positive_data_acceptance --phases coverage,fuzzing \
    --max-examples "$examples" --request-timeout 60 --no-color > report || { cat report; cat said; exit 1; }
grep -A1 '^Test cases' report | tail -n 1

# The server lives and its sandbox, too.
answer=$(curl -sf -X POST -H "Authorization: Bearer $key" -H 'Content-Type: application/json' -d '{"command":"echo alive"}' "$url/v1/sandboxes/$sandbox/run")
case $answer in
    *'"stdout":"alive\n"'*) ;;
    *) echo "the sandbox does not answer any more: $answer"; exit 1 ;;
esac
