#!/bin/bash
# Tries `codepod mcp` with the official Python client: every tool on every transport, and a session as a model has it.
# The client is kept in a virtual environment in the cache directory.
# usage: scripts/mcp.sh [CODEPOD]    the command `codepod`, built with the guests
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
version=2.3.0
environment=${CODEPOD_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/codepod}/python-mcp-$version
if [ ! -e "$environment/ready" ]; then
    python3 -m venv --clear "$environment"
    "$environment/bin/pip" install --quiet --disable-pip-version-check "mcp==$version"
    touch "$environment/ready"
fi
for script in mcp-client.py mcp-session.py; do
    "$environment/bin/python" "$here/$script" "${1:-codepod}"
done
