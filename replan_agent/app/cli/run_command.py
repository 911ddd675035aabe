# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The command `run`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from replan_agent.agent.ports import Recorder
from replan_agent.app.build.build_reader import mentioned
from replan_agent.app.build.config_file import load_config
from replan_agent.app.reading.refused_task import RefusedTask, refused_task
from replan_agent.app.terminal.console import ConsoleRecorder, plain_console
from replan_agent.app.terminal.exits import WrongUse, exit_status
from replan_agent.app.terminal.film import filmed
from replan_agent.app.terminal.signals import cancelled_by_signal
from replan_agent.approve.console_approver import ConsoleHuman
from replan_agent.domain.config import Config, build
from replan_agent.domain.context import Context
from replan_agent.domain.resume import Resume
from replan_agent.domain.task_result import FinalReason, TaskResult
from replan_agent.record.picture import PictureError
from replan_agent.record.run_folder import LOCK, as_json, new_run_path

from .resuming import STARTS_AGAIN, EarlierRun, earlier_run

if TYPE_CHECKING:
    from replan_agent.app.build.compose import Simulation


def run(arguments: argparse.Namespace) -> int:
    """Carry out one task in the embedded simulation."""
    earlier = earlier_run(arguments)
    _check_text(arguments.task, *arguments.hint, *(arguments.point_at or ()))
    config = _config(arguments, earlier)
    resume = Resume(hints=tuple(arguments.hint)) if arguments.hint else None
    refused = None if earlier or resume or arguments.video else refused_task(
        arguments.task, arguments.scene, arguments.seed, config, ConsoleHuman(),
        sys.stdin.isatty())
    sim = refused or _simulation(arguments, config)
    if earlier is not None:
        assert not isinstance(sim, RefusedTask)
        earlier.check_planner(sim)
        resume = earlier.resume(config, arguments.hint, sim.facts())
        for line in (STARTS_AGAIN, *earlier.changes(sim)):
            print(line, file=sys.stderr)
    scene = str(sim.facts().get('scene', arguments.scene))  # another robot has its own scenes
    out = arguments.out or new_run_path(Path('runs'), Path(scene).name)
    console = plain_console()
    watchers: list[Recorder] = [] if arguments.json else [
        ConsoleRecorder(console, robot_time=robot_time(sim))]
    try:
        result = run_task(sim, arguments.task, out, watchers, arguments.video, resume)
    except PictureError as error:
        raise WrongUse(str(error)) from error
    if arguments.json:
        print(as_json(result.as_dict(), indent=2))
    elif not result.not_recorded:
        files = (arguments.video, config.vlm.record, config.agent.memory)
        print_saved(console, out, [Path(f) for f in files if f and Path(f).is_file()])
    if earlier is not None and result.final_reason is FinalReason.VLM_TRANSPORT:
        print(f'the earlier run was planned by {earlier.planned_by}, which does not answer now: '
              f'{config.vlm.base_url}; give another address with --base-url, or choose another '
              'planner with --planner search', file=sys.stderr)
    return exit_status(result, out)


def _simulation(arguments: argparse.Namespace, config: Config) -> Simulation:
    from replan_agent.app.build.compose import Simulation  # slow: only if a world is needed

    return Simulation(arguments.scene, config=config, seed=arguments.seed, human=ConsoleHuman())


def robot_time(sim: Simulation | RefusedTask) -> Callable[[], float]:
    """The clock of the robot, s."""
    return lambda: 0.0 if isinstance(sim, RefusedTask) else float(sim.robot.state().stamp)


def print_saved(console: Console, folder: Path, files: Iterable[Path] = ()) -> None:
    """Say what was written: the run folder with all that is in it, and these files."""
    inside = sorted(path.name for path in folder.iterdir() if path.name != LOCK)
    lines = [f'{folder}/: {", ".join(inside)}',
             *(str(file) for file in files if file.exists() and file.parent != folder)]
    for number, line in enumerate(lines):
        head = '  saved:       ' if number == 0 else ' ' * 15
        console.print(f'{head}{line}', soft_wrap=True)


def _check_text(*given: str) -> None:
    for words in given:
        if not words.strip():
            raise WrongUse('a task, a hint or a description is empty; say for example "pick up '
                           'the red cube"')
        try:
            words.encode()
        except UnicodeEncodeError:
            raise WrongUse(f'{words!r} contains bytes that are not UTF-8 text') from None


def run_task(sim: Simulation | RefusedTask, task: str, out: Path, watchers: list[Recorder],
             video: Path | None = None, resume: Resume | None = None) -> TaskResult:
    """The result of a task, recorded under `out`; Ctrl-C ends it as cancelled."""
    result: TaskResult | None = None
    try:
        world = None if video is None or isinstance(sim, RefusedTask) else sim.world
        with cancelled_by_signal() as token, filmed(world, video) as film:
            result = sim.run(task, out=out, watchers=watchers, ctx=Context(cancel=token),
                             resume=resume)
            if film is not None:
                film.end_with(result)
    except PictureError as error:
        if result is None:
            raise
        lost = '; '.join(filter(None, (result.not_recorded, str(error))))
        return replace(result, not_recorded=lost)
    return result


def _config(arguments: argparse.Namespace, earlier: EarlierRun | None) -> Config:
    """The settings of the file or of the earlier run, with the command line's on top."""
    config = earlier.config(arguments) if earlier else load_config(arguments.config)
    config = _overlaid(config, 'agent', max_replans=arguments.max_replans, memory=arguments.memory)
    if arguments.max_replans is not None:
        config = replace(config, agent=config.agent.allowing_replans(arguments.max_replans))
    config = _overlaid(config, 'robot', eye_in_hand=arguments.eye_in_hand or None)
    config = with_model(config, arguments)
    config = _overlaid(config, 'vlm', record=arguments.record_model, replay=arguments.replay_model,
                       mode=arguments.model_mode, output=arguments.model_output)
    config = replace(config, planner=arguments.planner or config.planner,
                     perception=arguments.perception or config.perception,
                     approver=arguments.approver or config.approver)
    if earlier:
        config = replace(config, approver=earlier.keep_approver(arguments.approver,
                                                                config.approver))
    if config.perception == 'camera_vlm' and not config.point_at:
        named = mentioned(arguments.task)
        if named is None:
            raise WrongUse(f'cannot find the objects in {arguments.task!r}: name each with '
                           '--point-at "the mug"')
        config = replace(config, point_at=named)
    return config


def with_model(config: Config, arguments: argparse.Namespace) -> Config:
    """The settings with the model from the command line, and what it should point at."""
    config = _overlaid(config, 'vlm', model=arguments.model, base_url=arguments.base_url)
    return replace(config, point_at=tuple(arguments.point_at or config.point_at))


def _overlaid(config: Config, section: str, **values: Any) -> Config:
    """The settings with the given values of a section replaced."""
    changed = {key: value for key, value in values.items() if value is not None}
    now = getattr(config, section)
    return replace(config, **{section: build(type(now), asdict(now) | changed, section)})
