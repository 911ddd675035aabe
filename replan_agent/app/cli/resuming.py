# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Continuing an earlier run: its task, its settings, what failed in it, and a person's hints."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from replan_agent.app.build.build_approver import is_more_lenient, known_approver
from replan_agent.app.build.config_file import load_config
from replan_agent.app.build.plugins import known_names
from replan_agent.app.terminal.exits import WrongUse
from replan_agent.domain.config import Config, ConfigError, build
from replan_agent.domain.resume import Resume
from replan_agent.record.run_json import RunUnreadable
from replan_agent.record.stored_run import StoredRun
from replan_agent.text.file_bytes import exists
from replan_agent.text.plain_values import flat, plain
from replan_agent.text.shown_text import one_line

if TYPE_CHECKING:
    from replan_agent.app.build.compose import Simulation

STARTS_AGAIN = ('The simulated world starts again: what failed is known, but nothing that the '
                'earlier run did is done.')
DEFAULT_SCENE, DEFAULT_SEED = 'tabletop', 0
WITHOUT_MODEL = ('search', 'stub')  # planners that need no settings
WORLD = ('scene', 'scene_file', 'seed')  # facts that say in which world a run was
# Settings that decide what can be reached and seen. With WORLD they decide whether proofs hold.
PROVED_WITH = ('ik', 'motion', 'motion_planner', 'workspace', 'robot', 'robot_source',
               'perception', 'skills')


class EarlierRun:
    """A run that is continued. Raises WrongUse for whatever cannot be continued."""

    def __init__(self, path: Path) -> None:
        try:
            self._run = StoredRun.load(path)
            self.task = self._run.task
            self.seed = self._run.fact('seed', DEFAULT_SEED)
            self._resume = self._run.resume().in_new_world()
            self._settings: dict[str, Any] = self._run.fact('settings', {})
            self.planned_by = self._run.fact('planner', '')
        except RunUnreadable as error:
            raise WrongUse(str(error)) from error
        if self.seed < 0:
            raise WrongUse(f'{self._run.path}: seed: must be 0 or more, not {self.seed}')

    def scene(self) -> str:
        """The run's scene file if it has one, else the scene's name."""
        try:
            file, name = self._run.fact('scene_file', ''), self._run.fact('scene', '')
        except RunUnreadable as error:
            raise WrongUse(str(error)) from error
        if file and not exists(Path(file)):
            raise WrongUse(f'{self._run.path}: its scene file {one_line(file, 300)} is gone; '
                           'give a scene with --scene')
        if not file and not name and self._settings.get('robot_source', 'mujoco') == 'mujoco':
            raise WrongUse(f'{self._run.path}: it does not say its scene; give one with --scene')
        return file or name or DEFAULT_SCENE

    def config(self, arguments: argparse.Namespace) -> Config:
        """The settings of the run, with the parts and the file that are given now.

        Recordings of the model were the run's own: they are not used again. Of what approval
        asks for and where the arm must not go, the strictest of both holds.
        """
        if not self._settings:
            return self._old_config(arguments)
        given = {'planner': arguments.planner, 'perception': arguments.perception}
        settings = self._settings | {key: name for key, name in given.items() if name}
        try:
            config = build(Config, settings, f'{self._run.path}: settings', known_names)
        except ConfigError as error:
            raise WrongUse(f'{error}; --planner and --perception replace those of the earlier '
                           'run') from error
        again = (arguments.planner, arguments.model, arguments.replay_model)
        if config.planner == 'vlm' and config.vlm.replay and not any(again):
            raise WrongUse(f'{self._run.path}: its answers came from the recording '
                           f'{config.vlm.replay}, which does not know this run: give --model and '
                           '--base-url, or --replay-model, or --planner search')
        config = replace(config, vlm=replace(config.vlm, record='', replay=''))
        if not arguments.config:
            return config
        now, before = load_config(arguments.config, config), config.workspace.keep_out
        keep_out = (*before, *(zone for zone in now.workspace.keep_out if zone not in before))
        return replace(now, approval=now.approval.as_strict_as(config.approval),
                       workspace=replace(now.workspace, keep_out=keep_out))

    def _old_config(self, arguments: argparse.Namespace) -> Config:
        """The settings for a run that did not record its own. The planner must be the same."""
        config, (name, _, model) = load_config(arguments.config), self.planned_by.partition(':')
        if name in WITHOUT_MODEL and not arguments.planner:
            return replace(config, planner=name)
        if name and name != config.planner and not arguments.planner:
            raise WrongUse(f'{self._run.path}: it was planned by {self.planned_by}, and does not '
                           'say with which settings: give them with --config, or --planner vlm '
                           f'--model {model or "NAME"} --base-url URL, or --planner search')
        return config

    def keep_approver(self, asked: str | None, configured: str) -> str:
        """The approver of the continued run: never more lenient than that of this run."""
        wanted, earlier = asked or configured, known_approver(self._resume.approver)
        if not earlier or not is_more_lenient(wanted, earlier):
            return wanted
        if asked:
            raise WrongUse(f'--approver {asked} is more lenient than {earlier}, which approved '
                           'the plans of the earlier run; leave it out, or start a new run')
        return earlier

    def check_planner(self, sim: Simulation) -> None:
        """Raise WrongUse if the planner cannot be built now, for example without a key."""
        try:
            sim.planner()
        except ConfigError as error:
            raise WrongUse(f'the earlier run was planned by {self.planned_by}, which is not '
                           f'available now: {error}; or choose another planner, for example '
                           '--planner search') from error

    def changes(self, sim: Simulation) -> list[str]:
        """What differs from the earlier run, as `name: before → now`."""
        before, now = (
            flat(plain({**facts.get('settings', {}), **{k: facts.get(k) for k in WORLD}}))
            for facts in (self._run.data, sim.facts()))
        return [f'{key}: {before[key]!r} → {value!r}' for key, value in now.items()
                if key in before and before[key] != value]

    def resume(self, config: Config, hints: list[str], facts: Mapping[str, Any]) -> Resume:
        """What the continued run gets; `facts` are its own.

        Proofs count only if the settings behind them stay and the world is the same.
        """
        now, before = (
            flat(plain({**{key: settings.get(key) for key in PROVED_WITH},
                        **{key: known.get(key) for key in WORLD}}))
            for settings, known in ((asdict(config), facts), (self._settings, self._run.data)))
        proofs = self._resume.proofs if now == before else ()
        return replace(self._resume, proofs=proofs, hints=(*self._resume.hints, *hints))


def earlier_run(arguments: argparse.Namespace) -> EarlierRun | None:
    """The run to continue, if one is named. Sets task, scene and seed of the arguments."""
    if arguments.resume is None:
        if arguments.task is None:
            raise WrongUse('give a task, e.g. "pick up the red cube", or --resume RUN')
        arguments.scene = arguments.scene or DEFAULT_SCENE
        arguments.seed = DEFAULT_SEED if arguments.seed is None else arguments.seed
        return None
    earlier = EarlierRun(arguments.resume)
    if arguments.task not in (None, earlier.task):
        raise WrongUse(f'--resume continues {earlier.task!r}: leave the task out, or give the '
                       'same')
    arguments.task = earlier.task
    arguments.scene = arguments.scene or earlier.scene()
    arguments.seed = earlier.seed if arguments.seed is None else arguments.seed
    return earlier
