# Two commands matter: `make demo` runs Rensai, `make test` tests it. `make help` lists the rest.

VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= python3
UV = $$(command -v uv || echo $(BIN)/uv)
SOURCES := rensai tests bench scripts
PYTEST_OPTIONS ?=

.DEFAULT_GOAL := help
.PHONY: help demo test check bench format lock

help: ## Show this
	@echo "Rensai: one self-hosted home for serial fiction"
	@echo
	@sed -n 's/^\([a-z]*\):.*## /  make \1#/p' $(MAKEFILE_LIST) | column -t -s '#' 2>/dev/null \
		|| sed -n 's/^\([a-z]*\):.*## /  make \1  /p' $(MAKEFILE_LIST)
	@echo
	@echo "PORT, BASE_URL and RENSAI_DATA_DIR choose where the demo runs and where its data is."

demo: $(VENV)/installed ## Run it all, database included, with a small library to look at
	@exec $(BIN)/rensai demo

test: $(VENV)/installed-dev ## Run every test; fetches Chromium, Redis and PgBouncer if absent
	@sh scripts/test-peers.sh $(BIN)/python
	@$(BIN)/pytest $(PYTEST_OPTIONS)

check: $(VENV)/installed-dev ## Format, lint, types, architecture, migrations, dependencies
	@sh scripts/check.sh $(BIN)

bench: $(VENV)/installed-dev ## Measure; fetches the baselines' packages if absent
	@$(BIN)/python -m bench

format: $(VENV)/installed-dev ## Put the sources in order
	@$(BIN)/ruff check --fix --quiet $(SOURCES) || true
	@$(BIN)/ruff format $(SOURCES)

lock: $(VENV)/installed-dev ## Lock the dependencies of pyproject.toml anew
	@$(UV) pip compile --quiet --generate-hashes --no-header --universal \
		pyproject.toml --group dev -o requirements-dev.lock
	@$(UV) pip compile --quiet --generate-hashes --no-header --universal \
		pyproject.toml -c requirements-dev.lock -o requirements.lock

# --- the virtual environment; stamps make a second run do nothing -------------------------

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "Rensai needs Python 3.11 or newer; PYTHON=/path/to/python3 make ... names one" >&2; \
		exit 1; }
	@echo "Creating $(VENV)"
	@PYTHON="$(PYTHON)" sh scripts/venv.sh $(VENV)

$(VENV)/installed: requirements.lock scripts/uv.lock scripts/link.py | $(BIN)/python
	@sh scripts/install.sh $(VENV) requirements.lock
	@rm -f $(VENV)/installed-dev
	@touch $@

$(VENV)/installed-dev: requirements-dev.lock requirements.lock scripts/uv.lock scripts/link.py | $(BIN)/python
	@sh scripts/install.sh $(VENV) requirements-dev.lock
	@touch $(VENV)/installed $@
