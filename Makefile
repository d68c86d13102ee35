# All of it needs Python 3.11 or newer with venv, and a network to the package index.
# Each makes .venv when it is missing and installs again when pyproject.toml has changed.

PORT ?= 5000
# What is the same on every database is tested once.
ELSEWHERE := -m "not browser and not node and not slow and not sqlite" --ignore tests/test_house.py
VENV := .venv
PY := $(VENV)/bin/python
LOWEST := .venv-lowest
WORDS := flask_janela/translations

.PHONY: demo test test-databases test-lowest spark check docs words bench help
.NOTPARALLEL:

help:
	@echo "make demo    seed the example and serve it on http://127.0.0.1:$(PORT)/ (PORT=... for another port)"
	@echo "make test    run every test, on SQLite"
	@echo "make test-databases   run those that read a database on PostgreSQL and MariaDB as well"
	@echo "make test-lowest   run the heart of it on the lowest versions that are allowed"
	@echo "make spark   run the tests that ask a Spark cluster, which they start (needs Java 17 or newer)"
	@echo "make check   lint, format, types, the house rules and the documentation"
	@echo "make docs    build the documentation into docs/_build"
	@echo "make words   collect what people read and compile its translations"
	@echo "make bench   measure"

demo: $(VENV)/.installed
	@$(PY) -m example_app --port $(PORT)

# With COVERAGE=1, as in CI, it measures what ran of the package as well and refuses too little.
test: $(VENV)/.installed-test
	@$(PY) -m pytest --numprocesses auto --dist worksteal $(if $(COVERAGE),--cov --cov-report=term --cov-report=json)
	@$(if $(COVERAGE),$(PY) .ci/coverage.py coverage.json)

test-databases: $(VENV)/.installed-test
	@set -e; for engine in postgresql mariadb; do echo "== $$engine"; JANELA_TEST_DATABASE=$$engine \
	  $(PY) -m pytest --numprocesses auto --dist worksteal $(ELSEWHERE); done
	@echo "== duckdb"; JANELA_TEST_DATABASE=duckdb $(PY) -m pytest --numprocesses auto --dist worksteal \
	  tests/property tests/test_time_table.py

# MCP's library wants newer ones, so what needs it is left out.
test-lowest: $(VENV)/.installed-test
	@test -x $(LOWEST)/bin/python || $(PY) -m venv $(LOWEST)
	@$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check -c tests/lowest.txt --editable ".[test-base]"
	@$(LOWEST)/bin/python -m pytest --numprocesses auto --dist worksteal -m "not browser and not node and not slow" \
	  tests/property $(addprefix tests/test_,$(addsuffix .py,ask filters frames arranging records pages_frames tools roster recorder running upgrade))
spark: $(VENV)/.installed-spark
	@JANELA_SPARK=1 $(PY) -m pytest -m spark

check: $(VENV)/.installed-check $(VENV)/.installed-test
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(PY) -m mypy tests/typing
	$(PY) -m pytest -q tests/test_house.py
	@$(MAKE) --no-print-directory docs

# Anew each time: a page that nothing links any more is found, and none is left over.
docs: $(VENV)/.installed-docs
	$(PY) -m sphinx -W --keep-going -n -q -E -b html -d docs/_build/doctrees docs docs/_build/html
	@echo "The documentation is in docs/_build/html/index.html"

# A message that is new comes without a translation, and a test says which those are.
words: $(VENV)/.installed-test
	@$(PY) -m babel.messages.frontend extract -F babel.cfg --ignore-dirs ".*" --no-default-keywords \
	  -k say -k say_many:1,2 -k say_of:1c,2 --add-location=file --sort-by-file --no-wrap --project flask-janela --version 0.1 \
	  --header-comment "# Words of flask-janela, to be translated or reworded." -o $(WORDS)/janela.pot .
	@$(PY) -m babel.messages.frontend update -D janela -i $(WORDS)/janela.pot -d $(WORDS) \
	  --no-fuzzy-matching --ignore-obsolete --no-wrap --ignore-pot-creation-date
	@$(PY) -m babel.messages.frontend compile -D janela -d $(WORDS)

bench: $(VENV)/.installed-test
	@set -e; for script in bench/*.py; do echo "== $$script"; PYTHONPATH=. $(PY) "$$script"; done

$(VENV)/.installed: pyproject.toml
	@$(make_venv)
	@$(PY) -m pip install --quiet --disable-pip-version-check --editable ".[demo]"
	@touch $@

$(VENV)/.installed-%: pyproject.toml
	@$(make_venv)
	@$(PY) -m pip install --quiet --disable-pip-version-check --editable ".[$*]"
	@touch $@

# The first Python that is new enough makes the environment; one that no longer runs is replaced.
define make_venv
set -e; \
new_enough='import sys; sys.exit(sys.version_info < (3, 11))'; \
if $(PY) -c "$$new_enough" 2>/dev/null && $(PY) -m pip --version >/dev/null 2>&1; then exit 0; fi; \
for python in "$(PYTHON)" python3 python3.14 python3.13 python3.12 python3.11 python; do \
  test -n "$$python" && command -v "$$python" >/dev/null && "$$python" -c "$$new_enough" 2>/dev/null || continue; \
  echo "Making $(VENV) with $$("$$python" --version) and installing into it: a minute or so the first time."; \
  "$$python" -m venv --clear "$(VENV)" && exit 0; \
  echo "$$python cannot make a virtual environment. On Debian and Ubuntu: apt install python3-venv" >&2; exit 1; \
done; \
echo "flask-janela needs Python 3.11 or newer, and there is none on PATH. Name one: make PYTHON=/path/to/python3" >&2; exit 1
endef
