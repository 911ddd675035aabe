# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The demo: a task that works, one that cannot work, and one where the cube is moved.

The act `replan` is not part of the whole demo: it shows replanning that cannot help.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from rich.console import Console

from replan_agent.app.build.compose import Simulation
from replan_agent.app.build.config_file import load_config
from replan_agent.app.cli.run_command import print_saved, robot_time, run_task
from replan_agent.app.terminal.console import ConsoleRecorder, plain_console
from replan_agent.app.terminal.exits import NOT_RECORDED, SUCCESS, TASK_FAILED, exit_status
from replan_agent.domain.config import Config
from replan_agent.domain.task_result import FinalReason
from replan_agent.record.picture import png
from replan_agent.robot.mujoco.camera import MujocoCamera
from replan_agent.robot.mujoco.gl import GraphicsUnavailable
from replan_agent.robot.mujoco.world import World
from replan_agent.text.file_bytes import NotWritten, write_whole

from .scripted.scripted_model import scripted_model
from .worlds.nudge import WorldPush

WHOLE = ('1', '2', '3')
SNAPSHOT_PX = 1280, 960
PLACE_TASK = 'put the red cube in the bowl'
FAR_TASK = 'pick up the red cube'
PROVED = ('The pick is proved impossible. No plan that is left could do the task, so nothing more '
          'is tried.')
GUARD_OFF = ('The repeat guard is off and the planner ignores what failed, so each new plan tries '
             'the same again.')
SCRIPTED = 'The model is a scripted one: rules answer, over HTTP. The push comes during the pick.'
# Like a finger, while the hand is on its way. The cube slides on: the grasp misses it.
NUDGE = WorldPush('red_cube', direction=2.0, distance_m=0.06, at_s=0.9)


@dataclass(frozen=True)
class Act:
    """One part of the demo: a task in a scene, and how it should end.

    `notes`: print more than the headings and the verdict.
    """

    name: str
    title: str
    task: str
    scene: str
    config: Config
    ends_with: FinalReason
    nudge: WorldPush | None = None
    note: str = ''
    notes: bool = True


def demo(out: Path, film: bool, only: str | None = None) -> int:
    """Run the acts 1 to 3, or only the one of that name; success if each ends as expected.

    The status is the worst of the acts: 3 if one could not be recorded.
    """
    console = plain_console()
    config = load_config()
    plays: dict[str, Callable[[], int]] = {
        **{act.name: partial(_play, console, act, out, film) for act in _acts(config)},
        '3': partial(_play_with_a_model, console, config, out, film)}
    return max(plays[name]() for name in ([only] if only else WHOLE))


def _acts(config: Config) -> tuple[Act, ...]:
    """The acts that need no model."""
    stubborn = replace(config, planner='stub',
                       agent=replace(config.agent, max_replans=2, repeat_guard=False))
    return (
        Act('1', 'a task that can be done', PLACE_TASK, 'tabletop', config,
            FinalReason.PLAN_COMPLETE),
        Act('2', 'a task that cannot be done: the cube is 1.2 m away', FAR_TASK, 'far_cube',
            config, FinalReason.REPLAN_EXHAUSTED, note=PROVED),
        Act('replan', 'three plans for a cube that is 1.2 m away', FAR_TASK, 'far_cube',
            stubborn, FinalReason.REPLAN_EXHAUSTED, note=GUARD_OFF, notes=False))


def _play_with_a_model(console: Console, config: Config, out: Path, film: bool) -> int:
    """The third act: a model plans from the camera, and the cube is moved during the pick."""
    if find_spec('openai') is None:
        console.print("Act 3 needs the openai package: pip install 'replan_agent[vlm]'")
        return SUCCESS
    try:
        _check_drawing(Simulation('tabletop', config=config).world)
    except GraphicsUnavailable as error:
        console.print(f'Act 3 needs the camera, which is not available: {error}', soft_wrap=True)
        return SUCCESS
    with scripted_model() as model:
        seeing = replace(
            config, planner='vlm', perception='camera',
            agent=replace(config.agent, max_step_retries=0),  # every failure goes to the model
            vlm=replace(config.vlm, model=model.name, base_url=model.base_url))
        return _play(console, Act(
            '3', 'a model plans from the camera, and the cube is pushed', PLACE_TASK, 'tabletop',
            seeing, FinalReason.PLAN_COMPLETE, NUDGE, SCRIPTED), out, film)


def _play(console: Console, act: Act, out: Path, film: bool) -> int:
    console.print(f'Act {act.name}: {act.title}', style='bold', soft_wrap=True)
    console.rule()
    if act.note:
        console.print(act.note)
    sim = Simulation(act.scene, config=act.config)
    folder = out / f'{act.name}-{act.scene}'
    film = film and _can_draw(console, sim)
    video = folder / 'run.mp4' if film else None
    nudged = act.nudge.begin(sim.world) if act.nudge else None
    result = run_task(sim, act.task, folder,
                      [ConsoleRecorder(console, act.notes, robot_time(sim))], video)
    if nudged:
        console.print(f'  pushed:      {nudged.moved_m * 100:.1f} cm while the hand was moving')
    if film and not result.not_recorded:
        try:
            _snapshot(sim, folder / 'end.png')
        except NotWritten as error:
            result = replace(result, not_recorded=str(error))
    if exit_status(result, folder) == NOT_RECORDED:
        return NOT_RECORDED
    print_saved(console, folder)
    console.print()
    return SUCCESS if result.final_reason is act.ends_with else TASK_FAILED


def _snapshot(sim: Simulation, path: Path) -> None:
    """Write one picture of the current world."""
    camera = MujocoCamera(sim.world, pretty=True)
    write_whole(path, png(camera.render_rgb(*SNAPSHOT_PX)))
    camera.close()


def _can_draw(console: Console, sim: Simulation) -> bool:
    try:
        _check_drawing(sim.world)
    except GraphicsUnavailable as error:
        console.print(f'no pictures: {error}', soft_wrap=True)
        return False
    return True


def _check_drawing(world: World) -> None:
    """Raise GraphicsUnavailable if no picture can be rendered."""
    camera = MujocoCamera(world)
    try:
        camera.render_rgb(16, 16)
    finally:
        camera.close()
