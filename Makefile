# One command each; every target does its own set-up in .venv, from requirements.lock.
#
#   make demo         import the bundled session; show the graph's size, the view and the verdict
#   make test         run the tests
#   make lint         formatting, lint, types, layers
#   make check        lint and test
#   make bench-store  what recording, folding, opening and viewing cost (needs MUNIMENT_SESSIONS)
#   make conformance  independent checks of the running service (needs node and npm)
#   make bench-graph  what the projection into Kuzu and ladybug costs: writing, walking, building anew
#   make bench-derive what the rules of derivation know of the recorded sessions (needs MUNIMENT_SESSIONS)
#   make bench-api    what 20 runtimes at once cost the service, and a page of nodes
#   make bench-distil do excerpts of large outputs hold what explains a failure (needs MUNIMENT_SESSIONS)
#   make bench-closeout  is each false claim caught and each honest one proven, on mutated sessions; what it costs
#   make bench-packet what crosses a boundary with packet and view, beside what sessions' own compactions left
#   make bench-packet-speed  what building a packet and checking it cost, by the size of the mission
#   make bench-view   what views hold, with pointers and without, and cost (needs MUNIMENT_SESSIONS, MUNIMENT_BENCH)
#   make notebook     run the notebook; the result, with its pictures, is build/01_explore_a_session.ipynb
#   make reference    write the reference of the command line into api/README.md, and the pages about rules
#   make setup        only the set-up
#   make clean        delete .venv and all caches

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.ready

export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help demo test lint format rules types layers check bench-store bench-graph bench-derive conformance bench-api bench-distil bench-closeout bench-view bench-packet bench-packet-speed notebook reference setup clean

help:
	@sed -n 's/^#   \(make .*\)/\1/p' Makefile

demo: $(STAMP)
	@$(BIN)/muniment demo

test: $(STAMP)
	@$(BIN)/pytest $(ARGS)

lint: format rules types layers

format: $(STAMP)
	@$(BIN)/ruff format --check --quiet . || { echo "formatting: run $(BIN)/ruff format" >&2; exit 1; }

rules: $(STAMP)
	@$(BIN)/ruff check --quiet .

types: $(STAMP)
	@$(BIN)/mypy

layers: $(STAMP)
	@$(BIN)/lint-imports --no-logo --no-cache

check: lint test

bench-store: $(STAMP)
	@$(BIN)/python -m tests.bench.store

conformance: $(STAMP)
	@$(BIN)/python -m tests.conformance.run

bench-graph: $(STAMP)
	@$(BIN)/python -m tests.bench.graph

bench-derive: $(STAMP)
	@$(BIN)/python -m tests.bench.derive_bench $(FIGURES)

bench-api: $(STAMP)
	@$(BIN)/python -m tests.bench.api

bench-distil: $(STAMP)
	@$(BIN)/python -m tests.bench.distil_bench

bench-closeout: $(STAMP)
	@$(BIN)/python -m tests.bench.closeout_speed
	@$(BIN)/python -m tests.bench.closeout $(OPTIONS)

bench-packet: $(STAMP)
	@$(BIN)/python -m tests.bench.packet_bench

bench-packet-speed: $(STAMP)
	@$(BIN)/python -m tests.bench.packet_speed

bench-view: $(STAMP)
	@$(BIN)/python -m tests.bench.view_bench

notebook: $(STAMP)
	@mkdir -p build
	@$(BIN)/jupyter execute --output='../build/{notebook_name}' notebooks/01_explore_a_session.ipynb
	@echo "open build/01_explore_a_session.ipynb in Jupyter or an editor" >&2

reference: $(STAMP)
	@$(BIN)/python -m tests.structure.cli_reference
	@$(BIN)/python -m tests.structure.rule_pages

setup: $(STAMP)

# Installed again whenever the lock or the package's description changed. Hashes are required: nothing else gets in.
$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "muniment needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) --version 2>&1 | head -n 1 || true)." >&2; \
	  echo "Name another one: make $(or $(MAKECMDGOALS),setup) PYTHON=/path/to/python3" >&2; exit 1; }
	@echo "setting up .venv (once; about a minute)" >&2
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv || { \
	  echo "'$(PYTHON) -m venv' failed: on Debian and Ubuntu it needs the package python3-venv." >&2; exit 1; }
	@$(BIN)/python -m pip install -qq --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install -qq --no-deps --no-build-isolation --editable .
	@touch $@

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
