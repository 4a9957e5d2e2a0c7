# Every target sets up what it needs; a bare clone needs python3 (3.11 or newer) and make.
# Another interpreter: make test PYTHON=python3.13

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUN := $(BIN)/python
STAMPS := $(VENV)/stamps
RUNTIME := $(STAMPS)/runtime
DEV := $(STAMPS)/dev

DATA ?= data
TESTS ?= tests
GAME ?= ambition_characters
ARGS ?=

# A first download can be slow, and nobody is there to answer questions.
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_NO_INPUT := 1
export PIP_ROOT_USER_ACTION := ignore
INSTALL := $(RUN) -m pip install -qq
PINNED := $(INSTALL) --require-hashes --only-binary :all: --requirement
COMPILE := $(RUN) -m uv pip compile --quiet --universal --python-version 3.11 \
	--generate-hashes --no-emit-index-url --no-emit-find-links --no-header

.PHONY: help serve test check demo bench openapi fuzz soak playthrough lock clean
.DEFAULT_GOAL := help

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' "$(strip $(MAKEFILE_LIST))"

serve: $(RUNTIME) ## start the service on SQLite in ./data
	@$(BIN)/plyscribe serve --data-dir '$(subst ','\'',$(DATA))' $(ARGS)

test: $(DEV) ## run the tests (TESTS=tests/games for a part of them)
	@$(RUN) -m pytest $(TESTS) $(ARGS)

check: $(DEV) ## formatting, lint, types, direction of imports
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

demo: $(RUNTIME) ## four programs play a match over HTTP; it is rebuilt from its log
	@$(BIN)/plyscribe demo $(ARGS)

bench: $(DEV) ## measure against the yardsticks; writes bench/results.md
	@$(RUN) -m bench $(ARGS)

openapi: $(DEV) ## regenerate the exported schemas
	@$(RUN) -m openapi $(ARGS)

fuzz: $(DEV) ## long randomised runs
	@$(RUN) -m pytest -m fuzz $(TESTS) $(ARGS)

soak: $(DEV) ## long load and fault runs
	@$(RUN) -m pytest -m soak $(TESTS) $(ARGS)

playthrough: $(DEV) ## rewrite the golden playthroughs; read the difference before you commit it
	@$(RUN) -m tests.playthroughs $(ARGS)

lock: $(DEV) ## pin the newest allowed packages
	@$(RUN) -m uv --version >/dev/null 2>&1 || $(INSTALL) uv
	@for each in requirements "requirements-traces --extra traces" \
			"requirements-dev --extra dev --extra traces"; do \
		set -- $$each; lock=$$1.lock; shift; \
		$(COMPILE) pyproject.toml "$$@" --upgrade --output-file $$lock >/dev/null || exit 1; \
		echo "· $$lock"; \
	done
	@echo hatchling | $(COMPILE) - --upgrade --output-file requirements-build.lock >/dev/null
	@echo "· requirements-build.lock"

clean: ## remove everything that can be made again (not ./data)
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(RUN):
	@command -v $(PYTHON) >/dev/null || \
		{ echo "plyscribe needs Python 3.11 or newer; there is no $(PYTHON) here" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "plyscribe needs Python 3.11 or newer; $(PYTHON) is not" \
			"(another one: make PYTHON=python3.11)" >&2; exit 1; }
	@echo "· making $(VENV)"
	@$(PYTHON) -m venv $(VENV) || \
		{ echo "no venv module: install it (on Debian: python3-venv)" >&2; exit 1; }

$(RUNTIME): requirements.lock requirements-build.lock pyproject.toml | $(RUN)
	@echo "· installing what the service needs (a minute at first)"
	@$(PINNED) requirements-build.lock
	@$(PINNED) requirements.lock
	@$(INSTALL) --no-deps --no-build-isolation --editable .
	@mkdir -p $(STAMPS) && touch $@

$(DEV): requirements-dev.lock $(RUNTIME)
	@echo "· installing what its tests and tools need"
	@$(PINNED) requirements-dev.lock
	@mkdir -p $(STAMPS) && touch $@
