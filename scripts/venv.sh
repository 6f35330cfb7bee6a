#!/bin/sh
# Makes the virtual environment, also on a Debian whose Python comes without the venv module.
set -eu

venv=$1
if "$PYTHON" -m venv "$venv" 2>/dev/null; then
    exit 0
fi
rm -rf "$venv"
if command -v uv >/dev/null 2>&1; then
    exec uv venv --quiet --seed --python "$PYTHON" "$venv"
fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    export DEBIAN_FRONTEND=noninteractive
    apt-get install -y -qq --no-install-recommends python3-venv >/dev/null 2>&1 || {
        apt-get update -qq
        apt-get install -y -qq --no-install-recommends python3-venv >/dev/null
    }
    exec "$PYTHON" -m venv "$venv"
fi
echo "This Python cannot make virtual environments; on Debian: sudo apt-get install python3-venv" >&2
exit 1
