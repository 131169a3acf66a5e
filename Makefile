# Every target makes what it needs first: the environment in .venv, from a lock with hashes.

VENV := .venv
BIN := $(VENV)/bin
OK_PYTHON := import sys; sys.exit(sys.version_info < (3, 11))
# The first interpreter that is new enough; `make run PYTHON=/path/to/python3.12` names another.
PYTHON ?= $(shell for name in python3 python3.13 python3.12 python3.11; do \
	"$$name" -c '$(OK_PYTHON)' 2>/dev/null && { echo "$$name"; break; }; done)
PIP := $(BIN)/python -m pip --disable-pip-version-check -qq --no-input
PYTEST := $(BIN)/python -m pytest
# What of the suite asks a database, for a second run on the server that DATABASE_URL names.
DATABASE_TESTS := tests/apps tests/workers
PROCESSES ?= 2
BENCHMARKS = $(patsubst benchmarks/%.py,%,$(filter-out benchmarks/_%,$(wildcard benchmarks/*.py)))
# `make check` runs all of them and fails when one does.
CHECKS := lint format types contracts migrations spelling templates
SOURCES := rubricstudio apps workers tests benchmarks manage.py .ci/lock.py .ci/shots.py
ARGS ?=
ONLY ?=

.DEFAULT_GOAL := help
.PHONY: help setup run test check fix bench shots lock test-vllm test-pages $(CHECKS:%=check-%)

help: ## list the targets
	@awk -F ' ?## ' '/^[a-z-]+:.* ## / { sub(/:.*/, "", $$1); printf "make %-10s %s\n", $$1, $$2 }' \
		$(MAKEFILE_LIST)

setup: $(VENV)/for-test ## make .venv with everything that the other targets need
	@echo "$(VENV) is ready."

run: $(VENV)/for-run ## start everything on this machine (ARGS="--port 8001 --data DIR")
	@exec $(BIN)/python manage.py up $(ARGS)

test: $(VENV)/for-test ## the test suite: on PostgreSQL 18, then on DATABASE_URL's if set (ARGS=...)
	env -u DATABASE_URL $(PYTEST) -m "not vllm and not model and not browser" -n $(PROCESSES) --dist loadgroup $(ARGS)
	@# The model shares its cores with nobody, else it answers a few tokens a second.
	env -u DATABASE_URL $(PYTEST) -m "model and not vllm and not browser" $(ARGS)
	@test -z "$$DATABASE_URL" || { set -x; $(PYTEST) -m "not vllm and not model and not browser and not slow" \
		-n $(PROCESSES) --dist loadgroup $(DATABASE_TESTS) $(ARGS); }

check: $(VENV)/for-test ## lint, format, types, import contracts, migrations, spelling, templates
	@$(MAKE) --no-print-directory --keep-going $(CHECKS:%=check-%)

check-lint:
	$(BIN)/ruff check .
check-format:
	$(BIN)/ruff format --check .
check-types:
	$(BIN)/mypy $(SOURCES)
check-contracts:
	$(BIN)/lint-imports
check-migrations:
	$(BIN)/python -W ignore::RuntimeWarning manage.py makemigrations --check --dry-run
check-spelling:
	$(BIN)/typos
check-templates:
	$(BIN)/djlint --lint --quiet templates

fix: $(VENV)/for-test ## let the tools repair what they can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/for-test ## measure; each benchmark prints lines of JSON (ONLY=name)
	@set -e; for name in $(or $(ONLY),$(BENCHMARKS)); do \
		$(BIN)/python -m "benchmarks.$$name" $(ARGS); done

shots: $(VENV)/for-test ## take the screenshots of docs/screenshots anew
	$(BIN)/python .ci/shots.py

lock: $(VENV)/for-test ## write both locks anew from pyproject.toml
	$(BIN)/python .ci/lock.py

test-pages: $(VENV)/for-test ## every page and the whole flow in a real browser
	@# A browser beside other tests would wait for its pages.
	env -u DATABASE_URL $(PYTEST) -m browser tests/browser $(ARGS)

test-vllm: $(VENV)/for-test ## the client's contract tests on a real vLLM server
	.ci/test-vllm $(ARGS)

# A stamp is newer than the lock it was installed from, so that a changed lock installs again.
$(VENV)/for-run: requirements.lock pyproject.toml | $(BIN)/python
	$(call install,requirements.lock)

$(VENV)/for-test: requirements-test.lock pyproject.toml | $(BIN)/python
	$(call install,requirements-test.lock)

define install
	@echo "Installing the packages of $(1) into $(VENV); the first time takes minutes …"
	@$(PIP) install --no-deps --require-hashes --only-binary :all: -r $(1) || { echo \
		"Not every package could be installed, see above: the network must be reachable, and a" \
		"package without a wheel for this platform means that Rubric Studio does not run on it" \
		"(Linux or macOS, x86-64 or ARM64, Python 3.11 to 3.13)." >&2; exit 1; }
	@$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@
endef

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "Rubric Studio needs Python 3.11 or newer and found only" \
		"$$(python3 --version 2>&1); install one or name it: make run PYTHON=/path/to/python3.11" \
		>&2; exit 1; }
	@$(PYTHON) -c '$(OK_PYTHON)' || { echo "$(PYTHON) is $$($(PYTHON) --version 2>&1), and Rubric" \
		"Studio needs 3.11 or newer." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || { echo "This Python cannot make virtual" \
		"environments, for it lacks ensurepip: apt-get install python3-venv" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)
