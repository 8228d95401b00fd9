#!/usr/bin/env bash
# Test what needs torch, in a virtual environment of its own: it is large, and nothing else needs it.
# Usage: tools/torch.sh PYTHON VENV
set -euo pipefail
python=$1 venv=$2

[ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
# Of one version pip takes a build for the processor alone (2.13.0+cpu) before any other, where one is offered.
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
    "torch==${TORCH_VERSION:-2.13.0}" -e '.[torch,testing]' pytest-timeout
"$venv/bin/python" -m pytest -q -p no:cacheprovider --override-ini testpaths=tests_torch \
    --override-ini filterwarnings= tests_torch
