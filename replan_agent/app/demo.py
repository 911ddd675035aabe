"""The demo: a pick and place that works, then the seed's task that cannot."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from rich.console import Console

from replan_agent.domain.config import Config
from replan_agent.domain.outcome import FinalReason, TaskResult

from .cli import SUCCESS, TASK_FAILED
from .commands import run_task, scene_named
from .compose import Simulation, simulation
from .config_file import load_config
from .console import ConsoleRecorder
from .film import PicturesUnavailable, check_drawing, snapshot

PLACE_TASK = 'put the red cube in the bowl'
FAR_TASK = 'pick up the red cube'


def demo(out: Path, film: bool) -> int:
    """Both acts; success when each ends as it should."""
    console = Console(highlight=False)
    config = load_config()
    placed = _act(console, config, 1, 'a task that can be done', PLACE_TASK, 'tabletop', out, film)
    # The seed's demo: two replans, each of which tries again, so the guard is off.
    agent = replace(config.agent, max_replans=2, repeat_guard=False)
    far = _act(console, replace(config, agent=agent), 2,
               'a task that cannot be done: the cube is 1.2 m away, the arm reaches 0.85 m',
               FAR_TASK, 'far_cube', out, film)
    as_expected = placed.success and far.final_reason is FinalReason.REPLAN_EXHAUSTED
    return SUCCESS if as_expected else TASK_FAILED


def _act(console: Console, config: Config, number: int, title: str, task: str, scene: str,
         out: Path, film: bool) -> TaskResult:
    console.rule(f'Act {number}: {title}')
    sim = simulation(config, scene_named(scene))
    folder = out / f'{number}-{scene}'
    film = film and _can_draw(console, sim)
    video = folder / 'run.mp4' if film else None
    result = run_task(sim, task, folder, [ConsoleRecorder(console)], video)
    if film:
        snapshot(sim.world, folder / 'end.png')
    saved = sorted(p.name for p in folder.iterdir())
    console.print(f'  saved:       {folder}/: {", ".join(saved)}\n', soft_wrap=True)
    return result


def _can_draw(console: Console, sim: Simulation) -> bool:
    try:
        check_drawing(sim.world)
    except PicturesUnavailable as error:
        console.print(f'no pictures this time: {error}', soft_wrap=True)
        return False
    return True
