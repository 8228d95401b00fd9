#!/usr/bin/env bash
# Make the virtual environment from the lock file. Usage: tools/venv.sh PYTHON VENV
set -euo pipefail
python=$1 venv=$2

if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    echo "kataribe needs Python 3.11 or newer; say which with: make PYTHON=python3.12 ..." >&2
    exit 1
fi

# Debian keeps venv and pip in packages of their own.
if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        apt-get update -qq && apt-get install -y -qq python3-venv python3-pip >/dev/null
    else
        echo "please install the package python3-venv, then try again" >&2
        exit 1
    fi
fi

[ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check uv
echo "installing packages from requirements.lock ..." >&2
"$venv/bin/uv" pip install --quiet --python "$venv/bin/python" --require-hashes -r requirements.lock
"$venv/bin/uv" pip install --quiet --python "$venv/bin/python" --no-deps --editable .
