# `make demo` and `make test` set up everything they need on a fresh machine.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
COMPILED := $(VENV)/.compiled
WORKERS ?= auto
EFFORT ?= 10
PROOFS := $(wildcard tests/promises/test_*machine.py tests/promises/test_*crash.py) tests/promises/test_crowd.py \
	tests/adapters/test_arena.py
REQUIRED_BACKENDS ?= sqlite,chive,wordllama,hash,rules
export REQUIRED_BACKENDS

.PHONY: help demo test test-torch test-node check bench docs package schema prove lock clean

help:  ## show this
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

$(STAMP): requirements.lock pyproject.toml tools/venv.sh
	@tools/venv.sh "$(PYTHON)" "$(VENV)"
	@touch $@

demo: $(STAMP)  ## play the two stories that come with kataribe
	@$(BIN)/kataribe demo

# Tests start hundreds of processes; without bytecode each would compile every module anew. What a package
# brings that is no Python of this version is not compiled, and not needed.
$(COMPILED): $(STAMP)
	@$(BIN)/python -m compileall -qq -j 0 $(VENV)/lib || true
	@touch $@

test: $(COMPILED)  ## run all tests
	@$(BIN)/python -m compileall -q src
	@$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

prove: $(COMPILED)  ## walk the machines and repeat the kills EFFORT times as often
	@$(BIN)/python -m compileall -q src
	@KATARIBE_EFFORT=$(EFFORT) $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal --timeout 7200 $(PROOFS)

test-torch:  ## test the cross-encoder with the real torch, in an environment of its own
	@tools/torch.sh "$(PYTHON)" .venv-torch

test-node: $(STAMP)  ## test with the clients of OpenAI and Mastra for Node.js
	@tools/node.sh "$(VENV)"

check: $(STAMP)  ## lint, types, walls
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/lint-imports

bench: $(STAMP)  ## measure, beside a plain numpy floor, and say what fell
	@$(BIN)/python -m kataribe.bench

docs: $(STAMP)  ## write the pasted help texts anew, then check every example
	@KATARIBE_WRITE_DOCS=1 $(BIN)/python -m pytest tests/test_docs.py

package: $(STAMP)  ## build a wheel, install it into a bare environment and drive every handle
	@tools/package.sh "$(PYTHON)" "$(VENV)"

schema: $(STAMP)  ## write the JSON Schema of what leaves the program, and the synchronous face, anew
	@$(BIN)/python tools/wire_schema.py
	@$(BIN)/python tools/sync_face.py

lock:  ## choose and pin all packages anew
	@$(PYTHON) -m pip install --quiet uv
	@$(PYTHON) -m uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header \
		--python-version 3.11 --extra dev pyproject.toml -o requirements.lock

clean:  ## remove what was installed and made
	rm -rf $(VENV) .venv-torch dist build .mypy_cache .ruff_cache .hypothesis .import_linter_cache bench-results
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
