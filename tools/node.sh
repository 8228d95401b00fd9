#!/usr/bin/env bash
# Test kataribe with clients that are packages of Node.js, in a folder of their own. Usage: tools/node.sh VENV
set -euo pipefail
venv=$1

if ! command -v npm >/dev/null; then
    echo "please install Node.js 20 or newer with npm, then try again" >&2
    exit 1
fi
# Versions are pinned in package.json; a lock file would name the host of a registry.
npm install --prefix tests_node --no-package-lock --no-audit --no-fund --loglevel error
"$venv/bin/python" -m pytest --override-ini testpaths=tests_node --override-ini filterwarnings= tests_node
