# The front door. CMake does the work (CMakePresets.json); this names the few things people ask for.
# ARGS passes options on:  make reproduce ARGS="--profile full"
SHELL := /bin/bash
.DEFAULT_GOAL := build
# All that `make help` lists.
.PHONY: $(shell sed -n 's/^\([a-z-]*\):.*\x23\x23 .*/\1/p' Makefile)

CTEST := ctest --parallel $(shell nproc)
# The thread sanitizer of GCC 12 cannot place its shadow memory under a kernel that randomizes addresses widely.
FIXED_ADDRESSES := $(shell setarch -R true 2> /dev/null && echo setarch -R)
CXX_FILES = $(shell find src tests bench python wasm -name '*.cpp' -o -name '*.h')
# CMake embeds what the browser needs, so that is built first.
CONFIGURE := scripts/build_web.sh && cmake --log-level=WARNING --preset

build:  ## install what is missing and build build/atto
	@scripts/setup.sh build
	@$(CONFIGURE) release
	@cmake --build --preset release

reproduce: build  ## run every study, judge each claim and write results/report.html
	@build/atto reproduce $(ARGS)

figures: build  ## draw the figures of the README and of docs/findings.md into docs/figures
	@scripts/setup.sh figures
	@build/atto figure sticky-plateau/perplexity plateau-phase-diagram/phase emergence-theory/law --svg --output docs/figures $(ARGS)
	@build/atto figure trap-or-saddle/splitting plateau-start/share plateau-interventions/solved guess-floor/floor similar-content-moments/perplexity coupled-flow/two frequency-direction/direction --svg --output docs/figures $(ARGS)
	@build/atto figure embedding-branching/trajectories --gif --output docs/figures $(ARGS)

posts: build  ## run every study and write the verdicts into docs/posts
	@/usr/bin/python3 scripts/update_posts.py -- $(ARGS)

check:  ## build and test only what changed since HEAD, or since ARGS=main
	@scripts/setup.sh build test
	@scripts/python_env.sh
	@$(CONFIGURE) tests
	@scripts/check.sh $(ARGS)

test:  ## build and run every test
	@scripts/setup.sh build test
	@scripts/python_env.sh
	@$(CONFIGURE) tests
	@cmake --build --preset tests
	@$(CTEST) --preset tests

cluster: build  ## a study on a real Slurm cluster of three nodes on this machine: failures, time limits, cancelled tasks
	@scripts/setup.sh cluster
	@PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 tests/cluster/cluster_test.py build/atto $(ARGS)

soak:  ## the long form of tests that take minutes: flipped bits, power failures, calls that fail, load (docs/reliability.md)
	@scripts/setup.sh build test
	@scripts/python_env.sh
	@$(CONFIGURE) tests
	@cmake --build --preset tests --target atto test_lab test_faults
	@ATTO_SOAK=1 TEST_TMPDIR=$(CURDIR)/build/tests/tmp build/tests/test_lab \
	  --gtest_filter='*EveryFlip*:*PowerLoss*:*StoreFaults*:*StoreLoad*' $(ARGS)
	@ATTO_SOAK=1 TEST_TMPDIR=$(CURDIR)/build/tests/tmp build/tests/test_faults $(ARGS)
	@ATTO_SOAK=1 PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 tests/serve/load_test.py build/atto

fuzz:  ## look for input that breaks something, four minutes with the build; ARGS="--seconds 600" for each kind of input
	@scripts/setup.sh build fuzz
	@scripts/build_web.sh
	@/usr/bin/python3 scripts/fuzz.py $(ARGS)

mutants:  ## one-token changes of the sources that no test notices; ARGS="--count 20 --layers data"
	@scripts/setup.sh build test
	@scripts/python_env.sh
	@$(CONFIGURE) tests
	@/usr/bin/python3 scripts/mutants.py $(ARGS)

sanitize:  ## every test under the address and undefined-behaviour sanitizers, those with threads under the thread sanitizer
	@scripts/setup.sh build test
	@$(CONFIGURE) asan-ubsan
	@cmake --build --preset asan-ubsan
	@$(CTEST) --preset asan-ubsan
	@$(CONFIGURE) tsan
	@cmake --build --preset tsan
	@$(FIXED_ADDRESSES) $(CTEST) --preset tsan

python-sanitize:  ## the tests of the Python package under the first two, with the objects that `make sanitize` has built
	@scripts/setup.sh build test
	@scripts/python_env.sh
	@$(CONFIGURE) tests
	@$(CONFIGURE) python-asan
	@cmake --build --preset python-asan
	@$(CTEST) --preset python-asan

arm: build  ## build for 64-bit ARM and test it under qemu: the kernels, training, and the same bits as here
	@scripts/setup.sh build test arm
	@scripts/arm_sysroot.sh
	@$(CONFIGURE) arm
	@cmake --build --preset arm
	@$(CTEST) --preset arm

libcxx:  ## compile the program with clang and libc++, as on a Mac; it is not linked, as Debian's libraries are GCC's
	@scripts/setup.sh build libcxx
	@$(CONFIGURE) libcxx
	@cmake --build --preset libcxx

calibrate:  ## how often verdicts err, in 10,000 simulated claims per statistic: the table of docs/judging.md
	@scripts/setup.sh build test
	@scripts/python_env.sh
	@$(CONFIGURE) tests
	@cmake --build --preset tests --target atto_calibrate
	@build/tests/atto_calibrate $(ARGS)

bench:  ## time a training step against the machine's limits; writes build/bench.json
	@scripts/setup.sh build
	@$(CONFIGURE) bench
	@cmake --build --preset bench
	@/usr/bin/python3 bench/run.py $(ARGS)

growth:  ## how costs grow with sizes, layers and runs; writes build/growth.json and docs/figures/growth.svg
	@scripts/setup.sh build
	@$(CONFIGURE) bench
	@cmake --build --preset bench
	@/usr/bin/python3 bench/growth.py $(ARGS)

stores:  ## what stores of many runs cost, in processor time: filing, opening, listing, merging; ARGS=1000000
	@scripts/setup.sh build
	@$(CONFIGURE) bench
	@cmake --build --preset bench --target atto_stores
	@build/atto_stores $(ARGS)

workers: build  ## a sweep of 20 minutes by a worker, merged and judged, beside the same sweep by `atto run`
	@/usr/bin/python3 bench/workers.py build/atto --seeds 1500 $(ARGS)

instructions:  ## count the instructions of a training step and record them for the test that watches them
	@scripts/setup.sh build test
	@scripts/python_env.sh
	@$(CONFIGURE) tests
	@cmake --build --preset tests --target record_instructions

peers:  ## the same training in PyTorch and JAX, side by side; installs both and writes build/peers.json
	@scripts/setup.sh build bench
	@$(CONFIGURE) bench
	@cmake --build --preset bench
	@bench/peers/install.sh build/peers
	@/usr/bin/python3 bench/peers/run.py $(ARGS)

performance: bench growth peers  ## all three, and the page of this processor in docs/performance
	@/usr/bin/python3 bench/page.py

engine:  ## build the engine for the browser into build/page
	@scripts/setup.sh build page
	@scripts/build_engine.sh

engine-test: engine  ## compare the engine for the browser with the native one
	@scripts/setup.sh build test
	@scripts/python_env.sh
	@$(CONFIGURE) tests
	@cmake --build --preset tests --target native_engine
	@ATTO_REQUIRE_PAGE=1 $(CTEST) --preset tests --tests-regex '^wasm_'

engine-units: engine  ## the engine's own C++ tests, compiled to WebAssembly, in Node; ARGS=--all with the long ones
	@scripts/setup.sh test
	@ATTO_REQUIRE_PAGE=1 node tests/wasm/tests_test.mjs $(ARGS)

engine-speed: engine-test  ## steps of the engine for the browser against native ones, on one thread, in Node
	@node bench/page/engine_speed.mjs $(ARGS)

page:  ## build the playground: build/page/index.html, one file that trains in the browser
	@scripts/setup.sh build page
	@scripts/build_page.sh

page-test: page  ## open the playground in a browser and try everything in it
	@scripts/setup.sh test
	@ATTO_REQUIRE_PAGE=1 node --test --test-concurrency=1 tests/page/{url,toml,frame,sessions,page,look}_test.mjs

page-speed: page  ## what the playground costs in Chromium: start, engine against native, drawing, answers
	@scripts/setup.sh build test
	@scripts/python_env.sh
	@$(CONFIGURE) tests
	@cmake --build --preset tests --target native_engine
	@node bench/page/speed.mjs $(ARGS)

python:  ## build the Python package into build/python and test it
	@scripts/setup.sh build test
	@scripts/python_env.sh
	@$(CONFIGURE) tests
	@cmake --build --preset tests --target _core_stub
	@$(CTEST) --preset tests --tests-regex '^python'

serve-speed:  ## what watching costs (atto serve): how old results are, what eight clients take; writes build/serve-speed.json
	@scripts/setup.sh build bench
	@$(CONFIGURE) release
	@cmake --build --preset release --target atto
	@/usr/bin/python3 bench/serve.py build/atto --json build/serve-speed.json $(ARGS)

python-speed:  ## what Python costs on top of the engine, and the same ensemble in JAX; writes the table of docs/python.md
	@scripts/setup.sh build test bench
	@scripts/python_env.sh
	@$(CONFIGURE) tests
	@cmake --build --preset tests --target _core_stub atto atto_bench
	@bench/peers/install.sh build/peers
	@PYTHONPATH=$(CURDIR)/build/python build/python-env/bin/python bench/python/speed.py --jax build/peers/*/bin/python $(ARGS)

lens:  ## networks in PyTorch and in TransformerLens give the same answers; installs both
	@scripts/setup.sh build test bench
	@scripts/python_env.sh
	@scripts/python_env.sh lens
	@$(CONFIGURE) tests
	@cmake --build --preset tests --target _core_stub
	@PYTHONPATH=build/python PYTHONDONTWRITEBYTECODE=1 WANDB_MODE=disabled HF_HUB_OFFLINE=1 \
	  build/lens-env/bin/python -m pytest -q -p no:cacheprovider tests/lens $(ARGS)

executors:  ## studies trained by Dask and by submitit, the latter on Slurm too (as root), with the same rows as without them; installs both
	@scripts/setup.sh build test $(if $(filter 0,$(shell id -u)),cluster)
	@scripts/python_env.sh
	@scripts/python_env.sh executors
	@$(CONFIGURE) tests
	@cmake --build --preset tests --target _core_stub
	@PYTHONPATH=$(CURDIR)/build/python PYTHONDONTWRITEBYTECODE=1 \
	  $(if $(filter 0,$(shell id -u)),ATTO_REQUIRE_SLURM=1 /usr/bin/python3 tests/cluster/slurm_cluster.py) \
	  build/executors-env/bin/python -m pytest -q -p no:cacheprovider tests/executors $(ARGS)

notebooks:  ## execute docs/notebooks/*.py and write the notebooks with their outputs
	@scripts/setup.sh build test
	@scripts/python_env.sh
	@$(CONFIGURE) tests
	@cmake --build --preset tests --target _core_stub
	@PYTHONPATH=build/python build/python-env/bin/python scripts/notebooks.py $(ARGS)

reference:  ## write docs/reference from the docstrings of the Python package
	@scripts/setup.sh build test
	@scripts/python_env.sh
	@$(CONFIGURE) tests
	@cmake --build --preset tests --target _core_stub
	@PYTHONPATH=build/python build/python-env/bin/python scripts/reference.py

wheel: page  ## build/wheels/attoscope-*.whl: one wheel for every Python from 3.10 on
	@scripts/setup.sh build test
	@scripts/python_env.sh
	@scripts/build_web.sh
	@scripts/build_wheel.sh

sdist: page  ## build/sdist/attoscope-*.tar.gz, and build/wheels/attoscope-*.whl built from it in a clean folder without Node
	@scripts/setup.sh build test
	@scripts/python_env.sh
	@scripts/build_web.sh
	@scripts/check_sdist.sh

pythons: sdist  ## that wheel, tested on every Python from 3.10 on that can be found; ATTO_PYTHONS names those that must be
	@/usr/bin/python3 scripts/test_wheel.py build/wheels/attoscope-*.whl

lint:  ## check the format and run clang-tidy on src
	@scripts/setup.sh build lint
	@clang-format --dry-run -Werror $(CXX_FILES)
	@$(CONFIGURE) lint
	@find src -name '*.cpp' | xargs -P $(shell nproc) -n 1 clang-tidy --quiet -p build/lint 2> >(grep -v 'warnings generated' >&2)

format:  ## format every C++ file in place
	@scripts/setup.sh lint
	@clang-format -i $(CXX_FILES)

setup:  ## install the packages of all groups
	@scripts/setup.sh build test bench lint

clean:  ## remove what was built; stores of results stay
	rm -rf build

help:  ## this list
	@sed -n 's/^\([a-z-]*\):[a-z ]*## /\1\t/p' Makefile | expand -t 16
