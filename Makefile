# Every target does its own set-up, in .venv. The first run takes minutes, the next starts at once.

.PHONY: help demo test check docs unit sim web ros release-test soak chaos fuzz model-test numbers robosuite libero screenshots setup clean

help:
	@echo 'make demo    three acts on a simulated Franka: a task that works, one that cannot, a moved cube'
	@echo 'make test    for every change: ruff, mypy, docs, unit, simulation, browser and ROS tests'
	@echo 'make check   ruff and mypy only; also: make unit, make sim, make web, make ros'
	@echo 'make release-test  what is too slow for every change, and the core without its plug-ins'
	@echo 'make docs    the documentation as a site in build/site; a broken link is an error'
	@echo 'make fuzz    bad input at random, with MINUTES=10 for ten minutes (default: 5)'
	@echo 'make soak    50 tasks in a row over ROS: checks for leaks'
	@echo 'make chaos   200 tasks over ROS processes, each with a fault: hours; ARGS=--tasks=16 for fewer'
	@echo 'make model-test  a real model (1.1 GB, downloaded once) plans 64 sentences: hours'
	@echo 'make numbers what README and docs quote, measured again, and their tables; minutes, ARGS=full: hours, ARGS=--help'
	@echo 'make robosuite  robosuite in an environment of its own, and its tests; ARGS="--n 5" also runs its tasks'
	@echo 'make libero  the same for LIBERO (400 MB); ARGS="--rows libero_object/0 --n 5" also runs a task'
	@echo 'make screenshots  the pictures and the film of the page in docs/images, with Chromium'
	@echo 'make setup   only the set-up; PYTHON=python3.12 chooses the interpreter of a new .venv'
	@echo 'make clean   remove .venv and everything that was built'

setup:
	@tools/bootstrap.sh vlm

demo: setup
	@.venv/bin/replan-agent demo

test:
	@tools/test.sh check docs web unit sim ros

check docs unit sim web ros:
	@tools/test.sh $@

release-test:
	@tools/test.sh release core

soak:
	@tools/ros run python3 tools/soak.py --tasks 50

chaos:
	@tools/ros run python3 -m tools.chaos $(ARGS)

fuzz:
	@tools/fuzz.sh $(or $(MINUTES),5)

model-test:
	@tools/model_test.sh $(ARGS)

numbers: setup
	@.venv/bin/python -m tools.make_numbers $(ARGS)

robosuite:
	@tools/robosuite.sh $(ARGS)

libero:
	@tools/libero.sh $(ARGS)

screenshots:
	@tools/bootstrap.sh dev,vlm
	@.venv/bin/python tools/screenshots.py docs/images

clean:
	rm -rf .venv .venv-robosuite .venv-libero build install log dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
