# Two commands for everyone: `make demo` and `make test`. Everything else is for those who change the code.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# What can be known within a minute: style, types, and the tests of the mathematics, the contracts and the errors.
# What takes long is left out of it: sizes in memory, and questions asked over and over.
CHECKED := tests/golden tests/unit/tables \
  $(filter-out tests/unit/test_memory.py tests/unit/test_questions.py,$(wildcard tests/unit/test_*.py))

.PHONY: demo test check lint format docs gallery package versions lowest bench samples validate mechanisms again \
  fresh bench-peers clean

demo: $(VENV)/.core
	@$(BIN)/conewise reproduce --runs 100 --beyond --out results

test: $(VENV)/.test
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist worksteal

check: $(VENV)/.lint $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/mypy
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist worksteal -q $(CHECKED)

lint: $(VENV)/.lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.lint
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/.docs
	$(BIN)/python docs/pictures.py
	$(BIN)/python docs/cli_help.py
	$(BIN)/python -m sphinx -W --keep-going -b html docs docs/_build/html
	@echo "Open docs/_build/html/index.html"

# The five examples of the gallery, run again: their output and their pictures.
gallery: $(VENV)/.docs
	$(BIN)/python docs/gallery_page.py

# Builds the sdist and the wheel, and tries the wheel in an environment that has nothing else: a minute.
package: $(VENV)/.release
	$(BIN)/python .ci/package.py

# The tests under every Python that is here, and at the lowest versions that are admitted: `make versions PART=tests/unit`.
versions: $(VENV)/.release
	$(BIN)/nox -- $(PART)

lowest: $(VENV)/.release
	$(BIN)/nox -s lowest -- $(PART)

# One table of ratios to the peers, kept in benchmarks/RESULTS.md: twelve minutes. `make bench ONLY="masks gaps"` for some.
bench: $(VENV)/.test
	$(BIN)/python -m benchmarks --write $(if $(ONLY),--only $(ONLY))

# How many evaluations every rule needs: an hour, and as long with models.
samples: $(VENV)/.test
	$(BIN)/python -m benchmarks.samples --write
	$(BIN)/python -m benchmarks.boxes --write
	$(BIN)/python -m benchmarks.modelled
	$(BIN)/python -m benchmarks.modelled --bent
	$(BIN)/python -m benchmarks.rules --write

# The measured failure rates of every rule on every instance, and of what is said around answers: an hour, and hours
# where the runs of levels, blocks, noises, models and who is right were forgotten (`make fresh`).
validate: $(VENV)/.test
	$(BIN)/python -m benchmarks.validate --write
	$(BIN)/python -m benchmarks.validate --exact --write
	$(BIN)/python -m benchmarks.levels --write
	$(BIN)/python -m benchmarks.promises --write
	$(BIN)/python -m benchmarks.blocks --write
	$(BIN)/python -m benchmarks.noises --write
	$(BIN)/python -m benchmarks.calibration --write
	$(BIN)/python -m benchmarks.deciders --write
	$(BIN)/python -m benchmarks.whoisright --write

# What each mechanism of the certificate saves, and what its tuned numbers change: hours.
mechanisms: $(VENV)/.test
	$(BIN)/python -m benchmarks.ablation --runs 100 --write
	$(BIN)/python -m benchmarks.sensitivity --runs 40 --write

# Runs of all these pages, drawn at random, made again with the library as it is now: an hour and a half.
again: $(VENV)/.test
	$(BIN)/python -m benchmarks.again --write

# Long measurements keep every run as a line of benchmarks/*.jsonl and make none twice. This forgets them all.
fresh:
	rm -f benchmarks/*.jsonl

# Peers bring torch and fifty other packages: they live in environments of their own, and only if asked for. VOPy admits
# old versions alone of BoTorch and numpy, so it has one to itself.
bench-peers:
	$(PYTHON) -m venv .venv-peers
	.venv-peers/bin/pip install --quiet torch==2.13.0 botorch cvxpy pymoo paretoset optuna
	$(PYTHON) -m venv .venv-vopy
	.venv-vopy/bin/pip install --quiet torch==2.13.0 vopy

$(VENV)/.core: pyproject.toml src/conewise/_version.py
	@test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	@echo "Setting up $(VENV) (once) ..."
	@$(BIN)/pip install --quiet --upgrade "pip>=25.1"
	@$(BIN)/pip install --quiet --editable ".[plot]"
	@touch $@

$(VENV)/.test $(VENV)/.lint $(VENV)/.docs $(VENV)/.release: $(VENV)/.%: pyproject.toml $(VENV)/.core
	@$(BIN)/pip install --quiet --group $*
	@touch $@

clean:
	rm -rf $(VENV) docs/_build .pytest_cache .mypy_cache .ruff_cache .hypothesis
