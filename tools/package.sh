#!/usr/bin/env bash
# Build a wheel, install it into a bare environment with what it needs, and drive every handle of it.
# Usage: tools/package.sh PYTHON VENV
set -euo pipefail
python=$1 venv=$2
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

"$venv/bin/uv" build --quiet --wheel --out-dir "$out/dist" .
"$python" -m venv "$out/bare"
"$venv/bin/uv" pip install --quiet --python "$out/bare/bin/python" --constraint <("$venv/bin/uv" pip freeze \
    --quiet --python "$venv/bin/python" --exclude-editable) "$out"/dist/*.whl
echo "wheel: $(du -k "$out"/dist/*.whl | cut -f1) kB; installed: $(du -sm "$out"/bare/lib | cut -f1) MB," \
    "$("$venv/bin/uv" pip list --quiet --python "$out/bare/bin/python" | tail -n +3 | wc -l) packages"
cp tools/every_handle.py "$out"
cd "$out"
PYTHONPATH='' "$out/bare/bin/python" every_handle.py
"$out/bare/bin/kataribe" --db "$out/k.db" verify
