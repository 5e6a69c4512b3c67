# Everything a contributor runs. Only Python, git and make need to be there; the rest goes into .venv.
# Paths are relative, so that a checkout below a folder with spaces works.

PYTHON ?= python3
ARGS ?=

PIP = .venv/bin/python -m pip --disable-pip-version-check --quiet
COMPILE = .venv/bin/python -m uv pip compile pyproject.toml --extra postgresql --group dev --quiet \
	--universal --python-version 3.11 --generate-hashes --no-emit-index-url --custom-compile-command "make lock"

.PHONY: help demo test lint lock lock-check upgrade clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' Makefile
	@echo "Another interpreter: make PYTHON=python3.12 test (after make clean). Some tests: make test ARGS='-k wilson'"

demo: .venv/installed ## Run the example specs offline and print where the report lies
	@.venv/bin/python specs/demo.py

test: .venv/installed ## Run the tests; what this machine lacks is skipped and listed at the end
	@.venv/bin/python -m pytest -n auto $(ARGS)

lint: .venv/installed ## Check style, types and the direction of imports
	@.venv/bin/python -m ruff check --quiet .
	@.venv/bin/python -m ruff format --check --quiet .
	@.venv/bin/python -m mypy
	@.venv/bin/lint-imports

lock: .venv/installed ## Remake requirements.lock after a change of pyproject.toml, keeping the pins that still fit
	@$(COMPILE) --output-file requirements.lock

upgrade: .venv/installed ## Raise every pin in requirements.lock to the newest release that fits
	@$(COMPILE) --upgrade --output-file requirements.lock

# The present pins are the preferences of the new resolution: a release of today changes nothing, a changed
# requirement does.
lock-check: .venv/installed ## Check that requirements.lock is what pyproject.toml asks for
	@cp requirements.lock .venv/compiled.lock
	@$(COMPILE) --output-file .venv/compiled.lock
	@diff -u requirements.lock .venv/compiled.lock || \
		{ echo "requirements.lock does not fit pyproject.toml: run 'make lock' and commit the result." >&2; exit 1; }
	@echo "requirements.lock fits pyproject.toml."

clean: ## Remove .venv and the caches; keeps .proctor, where runs and reports are
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis

# Two stamps: an edit of pyproject.toml reinstalls one package, a new lock starts a fresh environment.
.venv/locked: requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Proctor needs Python 3.11 or newer, and '$(PYTHON)' is not: $$($(PYTHON) --version 2>&1)." >&2; \
		echo "Name a newer one: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@echo "Installing the locked packages into .venv; this takes about a minute, once."
	@$(PYTHON) -m venv --clear .venv || { \
		echo "'$(PYTHON) -m venv' failed. On Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }
	@$(PIP) install --require-hashes --no-deps --only-binary :all: -r requirements.lock
	@touch $@

.venv/installed: .venv/locked pyproject.toml
	@$(PIP) install --no-index --no-deps --no-build-isolation --editable .
	@touch $@
