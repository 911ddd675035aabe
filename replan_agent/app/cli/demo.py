"""The demo: a task that works, one that cannot work, and one where the cube is moved."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

from rich.console import Console

from replan_agent.app.build.compose import Simulation
from replan_agent.app.build.config_file import load_config
from replan_agent.app.scripted_model import scripted_model
from replan_agent.app.terminal.console import ConsoleRecorder, plain_console
from replan_agent.app.terminal.exits import NOT_RECORDED, SUCCESS, TASK_FAILED
from replan_agent.app.terminal.film import PicturesUnavailable, check_drawing, snapshot
from replan_agent.domain.config import Config
from replan_agent.domain.task_result import FinalReason
from replan_agent.record.run_folder import LOCK
from replan_agent.robot.mujoco.nudge import Push
from replan_agent.vlm.scripted.scripted_server import MODEL

from .run_command import exit_status, run_task

PLACE_TASK = 'put the red cube in the bowl'
FAR_TASK = 'pick up the red cube'
GUARD_OFF = ('The arm reaches 0.85 m. The repeat guard is off in this act and the planner ignores '
             'what failed, so that each new plan tries again. With the guard on (the default), '
             'the pick is tried once. Then it is proved impossible, and the same call is skipped: '
             'SKIP.')
SCRIPTED = 'The model is a scripted one: rules answer, over HTTP. The push comes during the pick.'
# Like a finger: 5 cm while the hand is on its way, far enough for the grasp to miss.
NUDGE = Push('red_cube', direction=2.0, distance_m=0.06, at_s=0.9)


@dataclass(frozen=True)
class Act:
    """One part of the demo: a task in a scene, and how it should end."""

    number: int
    title: str
    task: str
    scene: str
    config: Config
    ends_with: FinalReason
    nudge: Push | None = None
    note: str = ''


def demo(out: Path, film: bool) -> int:
    """Run all acts; success if each ends as expected."""
    console = plain_console()
    config = load_config()
    # Two replans, and each tries the same again, so the guard is off.
    stubborn = replace(config, planner='stub',
                       agent=replace(config.agent, max_replans=2, repeat_guard=False))
    acts = [
        Act(1, 'a task that can be done', PLACE_TASK, 'tabletop', config,
            FinalReason.PLAN_COMPLETE),
        Act(2, 'a task that cannot be done: the cube is 1.2 m away', FAR_TASK, 'far_cube',
            stubborn, FinalReason.REPLAN_EXHAUSTED, note=GUARD_OFF),
    ]
    as_expected = [_play(console, act, out, film) for act in acts]
    as_expected.append(_play_with_a_model(console, config, out, film))
    return SUCCESS if all(as_expected) else TASK_FAILED


def _play_with_a_model(console: Console, config: Config, out: Path, film: bool) -> bool:
    """The third act: a model plans from the camera, and the cube is moved during the pick."""
    if find_spec('openai') is None:
        console.print("Act 3 needs the openai package: pip install 'replan_agent[vlm]'")
        return True
    try:
        check_drawing(Simulation('tabletop', config=config).world)
    except PicturesUnavailable as error:
        console.print(f'Act 3 needs the camera, which is not available: {error}', soft_wrap=True)
        return True
    with scripted_model() as model:
        seeing = replace(
            config, planner='vlm', perception='camera',
            agent=replace(config.agent, max_step_retries=0),  # every failure goes to the model
            vlm=replace(config.vlm, model=MODEL, base_url=model.base_url))
        return _play(console, Act(
            3, 'a model plans from the camera, and the cube is pushed', PLACE_TASK, 'tabletop',
            seeing, FinalReason.PLAN_COMPLETE, NUDGE, SCRIPTED), out, film)


def _play(console: Console, act: Act, out: Path, film: bool) -> bool:
    console.rule(f'Act {act.number}: {act.title}')
    if act.note:
        console.print(act.note)
    sim = Simulation(act.scene, config=act.config)
    folder = out / f'{act.number}-{act.scene}'
    film = film and _can_draw(console, sim)
    video = folder / 'run.mp4' if film else None
    nudged = act.nudge.begin(sim.world) if act.nudge else None
    result = run_task(sim, act.task, folder, [ConsoleRecorder(console)], video)
    if nudged:
        console.print(f'  nudged:      {nudged.moved_m * 1000:.0f} mm while the hand was moving')
    if film:
        snapshot(sim.world, folder / 'end.png')
    saved = sorted(p.name for p in folder.iterdir() if p.name != LOCK)
    console.print(f'  saved:       {folder}/: {", ".join(saved)}\n', soft_wrap=True)
    return exit_status(result, folder) != NOT_RECORDED and result.final_reason is act.ends_with


def _can_draw(console: Console, sim: Simulation) -> bool:
    try:
        check_drawing(sim.world)
    except PicturesUnavailable as error:
        console.print(f'no pictures: {error}', soft_wrap=True)
        return False
    return True
