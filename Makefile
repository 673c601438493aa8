# The two commands that matter are `make run` and `make test`; both set up what they need first.

PY ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet --require-hashes --no-deps

.PHONY: run test test-all shapes soak check bench pictures
.DELETE_ON_ERROR:

# Each process of a product would compile the same source again.
unexport PYTHONDONTWRITEBYTECODE

# Start web, worker, beat and the embedded broker; Ctrl-C stops them.
run: .venv/.runtime
	@$(BIN)/python manage.py up

# Some processes; what stays together in one, and what comes first, is in tests/conftest.py.
PYTEST := $(BIN)/python -m pytest -q -n auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder

# Tests that query a database within their own process.
ON_BOTH := tests/services tests/api tests/tasks tests/pages tests/permissions tests/hostile \
	tests/architecture/test_tour.py

# Everything on SQLite, what crashes apart from the rest and on one database each; on PostgreSQL use
# cases and tasks, and tests that together send every shape of statement (tests/shapes.py).
test: .venv/.development .venv/.anyscale
	$(BIN)/python -m tests.postgres $(PYTEST) tests/services tests/tasks @tests/postgres_tests.txt
	$(PYTEST) --ignore tests/crash
	$(PYTEST) tests/crash

# Every test that queries a database on PostgreSQL too, and every crash on both.
test-all: .venv/.development .venv/.anyscale
	$(BIN)/python -m tests.postgres $(PYTEST) -m "not browser" $(ON_BOTH)
	$(PYTEST) --ignore tests/crash
	CRASH_DATABASES=all $(PYTEST) tests/crash

# Choose the tests of tests/postgres_tests.txt anew: when a statement is new, or a test is renamed.
shapes: .venv/.development
	@folder=$$(mktemp -d) && trap 'rm -r "$$folder"' EXIT && \
		SHAPES="$$folder" $(BIN)/python -m tests.postgres $(PYTEST) -p tests.shapes \
			-m "not browser" $(ON_BOTH) && \
		$(BIN)/python -m tests.shapes "$$folder"

# Crash after crash, many more than `make test` has; the machine should have nothing else to do.
soak: .venv/.development
	CRASH_DATABASES=all CRASH_KILLS=200 CRASH_RECOVERY=10 CRASH_RATE=300 CRASH_GONE=60 $(BIN)/python -m pytest -q -s tests/crash

# Lint, format, types, templates, migrations, settings, and known vulnerabilities of what is locked:
# where nobody can be asked about these, that is said; AUDIT=required makes it an error.
check: export DATABASE_URL = sqlite://:memory:
check: export CSRF_TRUSTED_ORIGINS = https://console.example.org
check: .venv/.development
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/djlint --lint --quiet templates
	$(BIN)/python manage.py makemigrations --check --dry-run
	$(BIN)/python manage.py check --deploy --fail-level WARNING
	$(BIN)/python -m tests.audit

# Engine, config checks, and workloads per second through HTTP, database and worker.
bench: .venv/.development
	@$(BIN)/python -m tests.benchmarks

# The pictures of the documentation: docs/images, of a product with a day of work behind it.
pictures: .venv/.development
	@$(BIN)/python -m tests.browser.take_pictures

.venv/.python:
	@command -v $(PY) >/dev/null 2>&1 || \
		{ echo "Sluice needs Python 3.11 or newer, and there is no $(PY): install it, or name one with PY=." >&2; exit 1; }
	@$(PY) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Sluice needs Python 3.11 or newer, and $(PY) is older: name another with PY=." >&2; exit 1; }
	@$(PY) -c 'import venv, ensurepip' 2>/dev/null || \
		{ echo "$(PY) comes without its venv module: install it (on Debian and Ubuntu: apt install python3-venv)." >&2; exit 1; }
	@$(PY) -m venv .venv
	@touch $@

.venv/.runtime: requirements.lock | .venv/.python
	@echo "Installing the packages of $< into .venv ..."
	@$(PIP) -r $<
	@touch $@

.venv/.development: requirements-dev.lock | .venv/.python
	@echo "Installing the packages of $< into .venv ..."
	@$(PIP) -r $<
	@touch $@

# The public anyscale client, which tests run as its users do: its packages never meet ours.
.venv/.anyscale: tests/compat/requirements.lock | .venv/.python
	@echo "Installing the packages of $< into .venv/anyscale ..."
	@$(PY) -m venv .venv/anyscale
	@.venv/anyscale/bin/python -m pip --disable-pip-version-check install --quiet --require-hashes --no-deps -r $<
	@touch $@
