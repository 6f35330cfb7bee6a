#!/bin/sh
# Brings a virtual environment to exactly what a lock file says, checked by hash.
set -eu

venv=$1
lock=$2
uv=$(command -v uv || true)
if [ -z "$uv" ]; then
    uv=$venv/bin/uv
    if [ ! -x "$uv" ]; then
        echo "Installing uv"
        "$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
            --require-hashes --requirement scripts/uv.lock
    fi
fi
echo "Installing $lock"
quiet=--quiet
if [ -t 2 ]; then # who watches sees how far it is
    quiet=''
fi
# shellcheck disable=SC2086 # an option or none
"$uv" pip sync $quiet --python "$venv/bin/python" --require-hashes --compile-bytecode "$lock"
"$venv/bin/python" scripts/link.py
