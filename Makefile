# On a machine with Python 3.11 and make, `make run` serves Towpath and `make test` runs all checks and tests.
PYTHON ?= python3
BIN := .venv/bin
APT := DEBIAN_FRONTEND=noninteractive apt-get -qq
MODELS := $(wildcard packages/*.py packages/*/pyproject.toml packages/*/src/*/__init__.py)
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
# The tests start hundreds of processes of Towpath: its modules are compiled once, not in each of them.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test setup models page ui azurite node-worker chromium pgbouncer redis promtool lint types unit tests test-long browser timed drill-pooled drill-queue drill-call drill-restart drill-scan drill-kill fuzz connection-stress chaos soak bench requirements wheels install-check clean screenshots

run: setup ## install and serve on SQLite at http://127.0.0.1:8000
	$(BIN)/towpath serve

test: setup .venv/dev.stamp lint types ui azurite node-worker tests ## install and run all checks and tests

setup: .venv/run.stamp page ## install Towpath into .venv

page: .venv/run.stamp ## build the web page if its sources changed
	$(BIN)/python build_page.py

.venv/run.stamp: requirements/run.txt requirements/bullmq.txt requirements/models.txt requirements/page.txt pyproject.toml $(MODELS)
	$(PYTHON) -m venv .venv
	$(PIP) install -r requirements/run.txt
	$(PIP) install -r requirements/bullmq.txt
	$(PIP) install -r requirements/models.txt
	$(PIP) install -r requirements/page.txt
	$(BIN)/python packages/build_models.py
	$(PIP) install --no-deps --force-reinstall packages/dist/*.whl
	$(PIP) install --no-deps -e .
	touch $@

models: .venv/run.stamp ## build the wheels of the embedding models in packages/dist
	$(BIN)/python packages/build_models.py

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

node-worker: .venv/dev.stamp ## install BullMQ for examples/node-worker, into .cache/
	$(BIN)/python -m tests.support.node_worker

chromium: ## install Chromium for the browser tests
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null \
		|| ($(APT) update && $(APT) install -y chromium)

pgbouncer: ## install pgbouncer for the tests on Postgres
	@command -v pgbouncer >/dev/null || test -x /usr/sbin/pgbouncer || ($(APT) update && $(APT) install -y pgbouncer)

redis: ## install redis-server for the tests of BullMQ
	@command -v redis-server >/dev/null || ($(APT) update && $(APT) install -y --no-install-recommends redis-server)

promtool: .cache/promtool ## install promtool for the tests of dashboard and alerts, into .cache/

# Only this program of Debian's package is taken: installing the package would start a Prometheus service.
.cache/promtool:
	@mkdir -p .cache/prometheus
	@$(APT) update && cd .cache/prometheus && apt-get -qq download prometheus
	@dpkg-deb --fsys-tarfile .cache/prometheus/prometheus_*.deb | tar -xO ./usr/bin/promtool > $@.part
	@chmod +x $@.part && mv $@.part $@ && rm -r .cache/prometheus

unit: .venv/dev.stamp promtool ## run the fast unit tests: no servers, no databases, under a minute
	$(BIN)/pytest tests/unit -n auto --maxprocesses 4 -m 'not timed and not slow and not long'

tests: .venv/dev.stamp page chromium pgbouncer redis promtool ## run all pytest tests, the browser tests included
	$(BIN)/pytest -n 4 --dist loadfile --no-loadscope-reorder --durations 40

test-long: .venv/dev.stamp page pgbouncer redis ## run the long forms of the drills: more kills, pages, windows and documents
	$(BIN)/pytest -m long -n 2 --dist loadfile --durations 0

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

drill-kill: .venv/dev.stamp ## kill -9 all processes, or one of them, at random for ten minutes over 100 documents, on both engines
	$(BIN)/python -m tests.crash.chaos_drill --minutes 10 --documents 100 --engine postgres --disturbance 'kill one' --disturbance 'kill all'
	$(BIN)/python -m tests.crash.chaos_drill --minutes 10 --documents 100 --engine sqlite --disturbance 'kill one' --disturbance 'kill all'

drill-queue: .venv/dev.stamp ## process 10,000 runs of five stages while a worker is killed every second, on both engines
	$(BIN)/python -m tests.crash.queue_drill --runs 10000 --engine sqlite
	$(BIN)/python -m tests.crash.queue_drill --runs 10000 --engine postgres

fuzz: .venv/dev.stamp ## process 2,000 damaged files, then send generated requests for ten minutes
	$(BIN)/python -m tests.fuzz.files --files 2000
	$(BIN)/python -m tests.fuzz.api --minutes 10

connection-stress: .venv/dev.stamp ## rewrite and delete documents for 10 minutes while connect jobs run, on both engines
	$(BIN)/python -m tests.crash.connection_stress --minutes 10 --engine sqlite
	$(BIN)/python -m tests.crash.connection_stress --minutes 10 --engine postgres

chaos: .venv/dev.stamp ## kill, stop and restart servers, workers and Postgres at random over 100 documents: 30 min Postgres, 15 min SQLite
	$(BIN)/python -m tests.crash.chaos_drill --minutes 30 --documents 100 --engine postgres
	$(BIN)/python -m tests.crash.chaos_drill --minutes 15 --documents 100 --engine sqlite

soak: .venv/dev.stamp ## steady mixed work for 30 minutes on each engine; memory must grow less than 1 MB a minute
	$(BIN)/python -m bench soak

bench: .venv/dev.stamp ## run all benchmarks and write docs/reference/benchmarks.md
	$(BIN)/python -m bench queue
	$(BIN)/python -m bench documents
	$(BIN)/python -m bench search
	$(BIN)/python -m bench connections
	$(BIN)/python -m bench calls
	$(BIN)/python -m bench small

# The model packages are built from the checkout: they are found in packages/dist and not pinned.
NO_MODELS := --find-links packages/dist $(foreach name,$(notdir $(patsubst %/,%,$(wildcard packages/towpath-model-*/))),--no-emit-package $(name))
requirements: ## pin all dependencies (needs uv)
	uv pip compile pyproject.toml $(NO_MODELS) --extra all --python-version 3.11 --generate-hashes --no-header -q -o requirements/run.txt
	uv pip compile --group bullmq --python-version 3.11 --generate-hashes --no-header -q -c requirements/run.txt -o requirements/bullmq.txt
	uv pip compile pyproject.toml $(NO_MODELS) --extra all --group dev --group bench --python-version 3.11 --generate-hashes --no-header -q -c requirements/run.txt -o requirements/dev.txt
	uv pip compile --group models --python-version 3.11 --generate-hashes --no-header -q -c requirements/run.txt -o requirements/models.txt

wheels: .venv/run.stamp page ## build the wheels of Towpath and its models into dist/
	$(PIP) wheel --no-deps -w dist .
	cp packages/dist/*.whl dist/

install-check: .venv/dev.stamp ## install the wheels into clean environments and use them without the network
	$(BIN)/python -m tests.install.check
	$(BIN)/python -m tests.install.check --all
	$(BIN)/python -m tests.install.platforms

clean:
	rm -rf .venv .pytest_cache .ruff_cache .hypothesis
