# `make run` starts the product, `make test` runs the tests; both first install what they need.

PY ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet --require-hashes --no-deps

.PHONY: run test test-on-postgres test-on-sqlite test-products test-all shapes soak check bench pictures
.DELETE_ON_ERROR:

# Keep the byte code, or each process of the product would compile the same source again.
unexport PYTHONDONTWRITEBYTECODE

# Start web, worker, beat and the embedded broker; Ctrl-C stops them.
run: .venv/.runtime
	@$(BIN)/python manage.py up

# Few processes, because each collects all its tests anew; tests/conftest.py groups and orders tests.
PYTEST := $(BIN)/python -m pytest -q -n auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder
ON_POSTGRES := $(BIN)/python -m tests.postgres

# Tests that start products, browsers or other programs, and mostly wait for them.
OF_PRODUCTS := tests/crash tests/platform tests/browser tests/compat tests/oidc

# Tests that query a database in the test process.
ON_BOTH := tests/services tests/api tests/tasks tests/pages tests/permissions tests/hostile \
	tests/architecture/test_tour.py tests/architecture/test_skyshift_tour.py

# Run the three parts at the same time: while tests of products wait, the others compute. They share
# the example organizations, and the state folder of a first start.
test: .venv/.development .venv/.anyscale
	@+shared=$$(mktemp -d) && trap 'rm -rf "$$shared"' EXIT && \
		PREPARED_HOME="$$shared" KEPT_WORLDS="$${KEPT_WORLDS:-$$shared/worlds}" \
		$(MAKE) --no-print-directory $(if $(findstring jobserver,$(MAKEFLAGS)),,--jobs 3) \
			test-products test-on-postgres test-on-sqlite

# Tests of products, one more at a time than there are cores, and each crash test on one database.
test-products: .venv/.development .venv/.anyscale
	$(PYTEST) -n logical --maxprocesses 3 $(OF_PRODUCTS)

# On PostgreSQL, in one process, tests that together send every shape of statement (tests/shapes.py).
test-on-postgres: .venv/.development
	nice -n 15 $(ON_POSTGRES) $(BIN)/python -m pytest -q -p tests.without_redundant \
		tests/services tests/tasks @tests/postgres_tests.txt

# All other tests, on SQLite.
test-on-sqlite: .venv/.development
	nice -n 15 $(PYTEST) $(addprefix --ignore=,$(OF_PRODUCTS))

# Like `make test`, with all tests that query a database on PostgreSQL too, and crash tests on both.
test-all: .venv/.development .venv/.anyscale
	$(ON_POSTGRES) $(PYTEST) -m "not browser" $(ON_BOTH)
	CRASH_DATABASES=all $(MAKE) --no-print-directory --jobs 2 test-products test-on-sqlite

# Select the tests for PostgreSQL again, after a new statement or a renamed test.
shapes: .venv/.development
	@folder=$$(mktemp -d) && trap 'rm -r "$$folder"' EXIT && \
		SHAPES="$$folder" $(ON_POSTGRES) $(PYTEST) -p tests.shapes \
			-m "not browser" $(ON_BOTH) && \
		$(BIN)/python -m tests.shapes "$$folder"

# Crash tests with many more crashes than in `make test`; run it on an otherwise idle machine.
soak: .venv/.development
	CRASH_DATABASES=all CRASH_KILLS=200 CRASH_RECOVERY=10 CRASH_RATE=300 CRASH_GONE=60 $(BIN)/python -m pytest -q -s tests/crash

# Lint, format, types, templates, migrations, settings, and known vulnerabilities of the locked
# packages. If the vulnerability database cannot be reached, a warning says so; AUDIT=required makes
# it an error.
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

# Benchmarks: engine, config checks, and workloads per second through HTTP, database and worker.
bench: .venv/.development
	@$(BIN)/python -m tests.benchmarks

# The screenshots of the documentation, docs/images, from a product with a day of workloads.
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

# The public anyscale client, which tests run like its users, in its own virtual environment.
.venv/.anyscale: tests/compat/requirements.lock | .venv/.python
	@echo "Installing the packages of $< into .venv/anyscale ..."
	@$(PY) -m venv .venv/anyscale
	@.venv/anyscale/bin/python -m pip --disable-pip-version-check install --quiet --require-hashes --no-deps --no-compile -r $<
	@touch $@
