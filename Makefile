# Each target is one command; longer ones are scripts. `make help` lists the targets.
# Everything built or fetched goes into .venv, .build and target inside this folder.
PYTHON ?= python3
TARGET ?=
SECS ?= 60
VERSIONS ?=
VERSION ?=
BASELINE ?=
RACE ?=
JSONPATH ?=
LAB ?=
ENGINE ?=
LOG ?=
RECORD ?=
WHEELS ?=
MATRIX ?=
TABLE ?=
PY := .venv/bin/python
# The laboratory's race, gate and data modules need only the standard library.
RACING := PYTHONPATH=$(CURDIR)/lab/src SNOOZE_LAB_DATA=$(CURDIR)/.build $(PY)
# The laboratory with all its libraries. Its runs and documents go into .build.
LABORATORY := SNOOZE_LAB_DATA=$(CURDIR)/.build SNOOZE_LAB_RUNS=.build/lab .build/venv-lab/bin/python
# Ray, Dask, Spark and other readers of JSON Lines.
ENGINES := .build/venv-engines/bin/python

# The folder where rustup installs, for shells that did not load its profile.
export PATH := $(PATH):$(HOME)/.cargo/bin
export PYO3_PYTHON = $(CURDIR)/$(PY)

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help need demo lab lab-scale bench bench-command build test test-rust test-long test-quick test-python \
        test-checked test-pythons test-tiers test-lab test-frameworks test-engines scale-plan scale-example \
        test-peers test-speed test-matrix wheels release-check fuzz check docs fmt documents lock \
        clean

help: ## list the targets
	@sed -n 's/^\([a-z][a-z-]*\):.*## /\1\t/p' Makefile | awk -F'\t' '{printf "  make %-16s %s\n", $$1, $$2}'

need:
	@sh scripts/need.sh $(PYTHON)

demo: need ## build, fetch the documents, race against json, orjson and others
	@$(PYTHON) scripts/environment.py .venv build --python $(PYTHON)
	@$(PYTHON) scripts/environment.py .venv rivals --python $(PYTHON) --tolerant
	@$(PYTHON) scripts/build.py .venv --python $(PYTHON)
	@$(RACING) -m snooze_lab.data get canon --or-generated
	@$(RACING) -m snooze_lab.race --group seed $(RACE)

lab: need ## run the laboratory's smoke profile, in minutes; LAB='--profile standard'
	@$(PYTHON) scripts/lab.py --python $(PYTHON)
	@$(LABORATORY) -m snooze_lab.data get canon conformance --or-generated
	@$(LABORATORY) -m snooze_lab run $(or $(LAB),--profile smoke)

lab-scale: build ## race readers of JSON Lines; LAB='--profile standard', RECORD=--record
	@$(PYTHON) scripts/lab.py --python $(PYTHON)
	@$(PYTHON) scripts/engines.py --python $(PYTHON) --install
	@$(LABORATORY) -m snooze_lab run scale $(LAB) --python $(ENGINES)
	@$(LABORATORY) -m snooze_lab.scale.goals latest --python $(ENGINES) $(RECORD)

bench: need ## run the usual groups of the race; RACE='--quick --record' (RACE=--help), VERSION=3.14
	@$(PYTHON) scripts/benchmark.py --python $(PYTHON) --version "$(VERSION)" -- $(RACE)

bench-command: documents ## time the command beside jq; TABLE=write (into docs/command.md)
	@$(PY) scripts/command_table.py $(if $(filter write,$(TABLE)),--write)

build: need ## build the release wheel and install it into .venv
	@$(PYTHON) scripts/environment.py .venv build test --python $(PYTHON)
	@$(PYTHON) scripts/build.py .venv --python $(PYTHON)

test: need ## run all tests: Rust, default Python, checked build, other Pythons, SIMD tiers
	@$(PYTHON) scripts/run_tests.py --python $(PYTHON)

test-rust: need ## run the tests of the core crate
	@$(PYTHON) scripts/run_tests.py rust --python $(PYTHON)

test-lab: need ## run the tests of the laboratory
	@$(PYTHON) scripts/run_tests.py lab --python $(PYTHON)

test-frameworks: need ## run the adapters and recipes against the real packages
	@$(PYTHON) scripts/run_tests.py frameworks --python $(PYTHON)

test-long: need ## run the exhaustive number tests of the core crate (release build, minutes)
	cargo test --locked --release --package snooze-core -- --ignored

test-quick: need ## run the Python suite without its slow tests (under two minutes)
	@$(PYTHON) scripts/run_tests.py quick --python $(PYTHON)

test-python: need ## run the Python suite on the default Python
	@$(PYTHON) scripts/run_tests.py python --python $(PYTHON)

test-checked: need ## run the suite on a build that asserts each write, with PYTHONMALLOC=debug
	@$(PYTHON) scripts/run_tests.py checked --python $(PYTHON)

test-pythons: need ## run the suite on other CPythons: VERSIONS='3.13 3.14 3.15'
	@$(PYTHON) scripts/run_tests.py pythons --python $(PYTHON) --versions $(VERSIONS)

test-tiers: need ## run the tests that a SIMD tier can change, once for each tier
	@$(PYTHON) scripts/run_tests.py tiers --python $(PYTHON)

test-peers: build ## run the suites of msgspec, JSON Patch, JSON5, JSONPath; JSONPATH=cts.json
	@$(PY) scripts/peers.py msgspec --python $(PY)
	@$(PY) scripts/peers_documents.py $(if $(JSONPATH),--jsonpath $(JSONPATH))
	@$(PY) scripts/peers_json5.py

scale-plan: need ## simulate a job over 100 TB, and write its table into docs/scale.md
	@$(PYTHON) scripts/scale_plan.py --write

test-engines: build ## run the tests of scan with polars, duckdb, ray, dask, spark and others
	@$(PYTHON) scripts/engines.py --python $(PYTHON)

scale-example: build ## run one query on an engine; ENGINE=ray (examples/scale), LOG=file.ndjson
	@$(PYTHON) scripts/engines.py --python $(PYTHON) --example "$(ENGINE)" $(if $(LOG),--log "$(LOG)")

test-speed: build ## compare instructions per operation with the baseline; BASELINE=write
	@$(RACING) -m snooze_lab.data get generated
	@$(RACING) -m snooze_lab.gate.instructions $(if $(filter write,$(BASELINE)),--write)

test-matrix: need ## run the suite on every CPython, debug and ASan builds; MATRIX='--rows 3.14'
	@$(PYTHON) scripts/test_matrix.py --python $(PYTHON) $(MATRIX)

wheels: need ## build wheels for all CPythons and platforms, the sdist; WHEELS='--versions 3.14'
	@$(PYTHON) scripts/wheels.py --python $(PYTHON) --twice $(WHEELS)

release-check: need ## check versions, changelog, tags, metadata, links and archives of a release
	@$(PYTHON) scripts/release_check.py --python $(PYTHON)

fuzz: need ## run the fuzz targets: TARGET=name SECS=60
	@PYTHON=$(PYTHON) bash scripts/fuzz.sh $(SECS) $(TARGET)

check: build ## check formatting, lints, layers, stubs, the documentation site
	cargo fmt --all --check
	cargo fmt --manifest-path fuzz/Cargo.toml --check
	cargo clippy --workspace --all-targets --locked --quiet -- -D warnings
	@if command -v c++ >/dev/null; then \
	  cargo check --manifest-path fuzz/Cargo.toml --locked --quiet; \
	else echo 'fuzz targets: no C++ compiler, so they are NOT checked'; fi
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PYTHON) scripts/lab.py --python $(PYTHON) --without-snooze
	$(PY) -m mypy --python-executable .build/venv-lab/bin/python
	$(PY) -m mypy.stubtest snooze --mypy-config-file pyproject.toml --allowlist scripts/stubtest.txt
	$(PY) -m pytest -q tests/repo/test_layers.py
	$(PYTHON) scripts/docs_site.py --python $(PYTHON)

docs: need ## build the documentation site into .build/site
	@$(PYTHON) scripts/docs_site.py --python $(PYTHON)

fmt: build ## format Rust and Python, apply safe lint fixes
	cargo fmt --all
	cargo fmt --manifest-path fuzz/Cargo.toml
	$(PY) -m ruff check --fix --quiet . || true
	$(PY) -m ruff format .

documents: build ## fetch the documents and the conformance files
	@$(RACING) -m snooze_lab.data get canon conformance heldout

lock: need ## pin the newest versions into requirements/*.lock
	@PYTHON=$(PYTHON) sh scripts/lock.sh

clean: ## remove everything built or fetched
	rm -rf .venv .build target fuzz/target .mypy_cache .pytest_cache .ruff_cache
