"""Going on with an earlier run: its task, what failed in it, and what a person adds."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from replan_agent.app.terminal.exits import WrongUse
from replan_agent.domain.resume import Resume
from replan_agent.record.stored_run import RunUnreadable, StoredRun

ANEW = ('The simulated world starts anew: what failed is known, and nothing that was done in '
        'the earlier run is done.')
DEFAULT_SCENE, DEFAULT_SEED = 'tabletop', 0


def take_up(arguments: argparse.Namespace) -> Resume | None:
    """What the next plan is told; task, scene and seed become those of the earlier run.

    None when there is no earlier run and no hint. What that run completed is left out: in a world
    that starts anew it is not done.
    """
    run = _earlier(arguments)
    if run is None:
        arguments.scene = arguments.scene or DEFAULT_SCENE
        arguments.seed = DEFAULT_SEED if arguments.seed is None else arguments.seed
        return Resume(hints=tuple(arguments.hint)) if arguments.hint else None
    try:
        task, resume = run.task, run.resume(*arguments.hint)
        scene = arguments.scene or _scene_of(run)
        seed = arguments.seed if arguments.seed is not None else run.fact('seed', DEFAULT_SEED)
    except RunUnreadable as error:
        raise WrongUse(str(error)) from error
    if arguments.task not in (None, task):
        raise WrongUse(f'--resume goes on with {task!r}: leave the task out, or give the same')
    if seed < 0:
        raise WrongUse(f'{run.path}: seed: must be 0 or more, not {seed}')
    arguments.task, arguments.scene, arguments.seed = task, scene, seed
    return replace(resume, completed=())


def _scene_of(run: StoredRun) -> str:
    """The file of its scene when there was one, else the name. Raises RunUnreadable."""
    file = run.fact('scene_file', '')
    if file and not Path(file).is_file():
        raise WrongUse(f'{run.path}: its scene file {file} is gone; give a scene with --scene')
    return file or run.fact('scene', DEFAULT_SCENE)


def _earlier(arguments: argparse.Namespace) -> StoredRun | None:
    if arguments.resume is None:
        if arguments.task is None:
            raise WrongUse('give a task, e.g. "pick up the red cube", or --resume RUN')
        return None
    try:
        return StoredRun.load(arguments.resume)
    except RunUnreadable as error:
        raise WrongUse(str(error)) from error
