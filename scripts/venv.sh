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
if sh "$(dirname "$0")/apt.sh" python3-venv; then
    exec "$PYTHON" -m venv "$venv"
fi
echo "This Python cannot make virtual environments; on Debian: sudo apt-get install python3-venv" >&2
exit 1
