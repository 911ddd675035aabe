"""Continuing an earlier run: its task, what failed in it, and a person's hints."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from replan_agent.app.build.build_approver import LENIENCY, is_more_lenient
from replan_agent.app.terminal.exits import WrongUse
from replan_agent.domain.file_bytes import exists
from replan_agent.domain.resume import Resume
from replan_agent.domain.text import one_line
from replan_agent.record.stored_run import RunUnreadable, StoredRun

STARTS_AGAIN = ('The simulated world starts again: what failed is known, but nothing that the '
                'earlier run did is done.')
DEFAULT_SCENE, DEFAULT_SEED = 'tabletop', 0


def resume_run(arguments: argparse.Namespace) -> Resume | None:
    """What the next plan gets from an earlier run. Sets task, scene and seed from that run.

    None without an earlier run and without hints. Completed steps of that run are left out: in a
    world that starts again they are not done.
    """
    run = _earlier(arguments)
    if run is None:
        arguments.scene = arguments.scene or DEFAULT_SCENE
        arguments.seed = DEFAULT_SEED if arguments.seed is None else arguments.seed
        return Resume(hints=tuple(arguments.hint)) if arguments.hint else None
    try:
        task, resume = run.task, run.resume(*arguments.hint)
        scene = arguments.scene or _scene_name(run)
        seed = arguments.seed if arguments.seed is not None else run.fact('seed', DEFAULT_SEED)
    except RunUnreadable as error:
        raise WrongUse(str(error)) from error
    if arguments.task not in (None, task):
        raise WrongUse(f'--resume continues {task!r}: leave the task out, or give the same')
    if seed < 0:
        raise WrongUse(f'{run.path}: seed: must be 0 or more, not {seed}')
    arguments.task, arguments.scene, arguments.seed = task, scene, seed
    return replace(resume, completed=())


def approver_of_earlier_run(path: Path | None) -> str:
    """Who approved the plans of the continued run; '' if unknown."""
    if path is None:
        return ''
    try:
        name = StoredRun.load(path).fact('approver', '')
    except RunUnreadable as error:
        raise WrongUse(str(error)) from error
    return name if name in LENIENCY else ''


def keep_approver(asked: str | None, configured: str, earlier: str) -> str:
    """The approver of a continued run: never more lenient than that of the earlier run."""
    wanted = asked or configured
    if not earlier or not is_more_lenient(wanted, earlier):
        return wanted
    if asked:
        raise WrongUse(f'--approver {asked} is more lenient than {earlier}, which approved the '
                       'plans of the earlier run; leave it out, or start a new run')
    return earlier


def _scene_name(run: StoredRun) -> str:
    """The run's scene file if it has one, else the scene's name. Raises RunUnreadable."""
    file = run.fact('scene_file', '')
    if file and not exists(Path(file)):
        raise WrongUse(f'{run.path}: its scene file {one_line(file, 300)} is gone; give a '
                       'scene with --scene')
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
