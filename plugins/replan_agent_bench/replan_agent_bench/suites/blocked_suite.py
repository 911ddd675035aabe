# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Blocked steps: does local planning find the way, over several actions if need be?"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from replan_agent.app.build.compose import Simulation
from replan_agent.app.terminal.film import filmed
from replan_agent.domain.config import Config
from replan_agent.domain.local_planning import Decision, LocalRecord
from replan_agent.domain.scene import SceneObject
from replan_agent.domain.task_result import FinalReason, TaskResult
from replan_agent.geometry.support import up_alignment
from replan_agent.record.recorders import MemoryRecorder
from replan_agent.robot.mujoco.scene.scene_spec import SceneSpec
from replan_agent.text.plain_values import plain
from replan_agent_bench.outcome import SETTLE_S, Job, Outcome, machine
from replan_agent_bench.suite import Cell, DrawnRow, Suite, find
from replan_agent_bench.worlds.blocked import blocked_scenes as draws
from replan_agent_bench.worlds.blocked import decision_scenes as decisive
from replan_agent_bench.worlds.blocked.blocked_scenes import Blocked
from replan_agent_bench.worlds.blocked.decision_scenes import deciding
from replan_agent_bench.worlds.blocked.direct_planner import direct_planner
from replan_agent_bench.worlds.judges import Truth

from .cells import FALSE, INTERVAL, OK, ROBOT, SUCCESS, count
from .local_metrics import local_metrics

ON_FLOOR_M = -0.1
TIPPED = math.cos(math.radians(30))
REFUSALS = (FinalReason.REPLAN_EXHAUSTED, FinalReason.GAVE_UP, FinalReason.HUMAN_REQUIRED)
MOST_S = 600.0  # that one search may take
AS_BEFORE_M = 0.02  # what could not be helped is left within this of where it was


@dataclass(frozen=True)
class BlockedRow(DrawnRow[Blocked]):
    """A kind of blocked step."""

    episodes: int = 50

    def scene(self, case: Blocked) -> SceneSpec:
        return SceneSpec(f'blocked_{self.name}', self.about, case.objects)


@dataclass(frozen=True)
class BlockedOutcome(Outcome):
    """`fallen` are things that ended on the floor or on their side."""

    fallen: tuple[str, ...] = ()
    steps: int = 0
    replans: int = 0
    local: tuple[LocalRecord, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        return {**super().as_dict(), 'local': plain(self.local)}


@dataclass(frozen=True)
class BlockedNumbers:
    steps: float  # an episode
    fallen: int
    empty: int  # searches that found no option
    decisions: Mapping[Decision, int]


def run_blocked(config: Config, job: Job, video: Path | None = None) -> list[BlockedOutcome]:
    """Run the job with the whole agent and judge it; `video` films it.

    A search ends after its number of foresights: how busy the machine is must not matter.
    """
    config = replace(config, agent=replace(config.agent, local_max_seconds=MOST_S))
    row = find(ROWS, job.row)
    case = row.case(job.seed)
    started, cpu_started = time.perf_counter(), time.process_time()
    with Simulation(row.scene(case), config=config, seed=job.seed,
                    planner=direct_planner(case.goals),
                    wrap_perception=case.mishap.around if case.mishap else None) as sim:
        if case.meddler:
            case.meddler.begin(sim.world)
        before = {o.name: o for o in sim.world.true_objects()}
        with filmed(sim.world, video):
            result = sim.agent(MemoryRecorder()).run(case.task)
        wall_s, robot_s = time.perf_counter() - started, sim.world.time
        cpu_s = time.process_time() - cpu_started
        sim.world.step(round(SETTLE_S / sim.world.timestep))
        after = {o.name: o for o in sim.world.true_objects()}
        objection = _objection(case, result, Truth(sim.world), before, after)
    fallen = tuple(name for name, thing in after.items() if _has_fallen(before[name], thing))
    return [BlockedOutcome(
        row=job.row, column=job.column, seed=job.seed, success=not objection,
        objection=objection, claimed=result.success, final_reason=result.final_reason.value,
        final_detail=result.final_detail, robot_s=robot_s, wall_s=wall_s, cpu_s=cpu_s,
        machine=machine(), fallen=fallen, steps=len(result.steps), replans=result.replans,
        local=result.local)]


def _objection(case: Blocked, result: TaskResult, truth: Truth,
               before: Mapping[str, SceneObject], after: Mapping[str, SceneObject]) -> str:
    """What is wrong with how it ended; '' if nothing."""
    return _untrue(case, result, truth, before, after) or _undecided(case, result)


def _undecided(case: Blocked, result: TaskResult) -> str:
    made = {node.decision for record in result.local for node in record.nodes}
    if case.decides is not None and case.decides not in made:
        return f'{case.decides.value} was not decided'
    return ''


def _untrue(case: Blocked, result: TaskResult, truth: Truth,
            before: Mapping[str, SceneObject], after: Mapping[str, SceneObject]) -> str:
    if case.meddler is not None:  # whoever wins, it must be said as it is
        return case.judge(truth) if case.judge is not None and result.success else ''
    if case.judge is not None:
        return case.judge(truth) or ('' if result.success else 'done, but reported as failed')
    if result.success:
        return 'reported as done, which is not possible'
    if result.final_reason not in REFUSALS or not result.local:
        return f'no search for a way, or another end: {result.final_reason.value}'
    moved = [name for name, thing in after.items()
             if math.dist(thing.position, before[name].position) > AS_BEFORE_M]
    return f'moved for nothing: {", ".join(moved)}' if moved else ''


def _has_fallen(before: SceneObject, after: SceneObject) -> bool:
    tipped = before.shape.value != 'sphere' and up_alignment(after) < TIPPED * up_alignment(before)
    return after.movable and (after.position[2] < ON_FLOOR_M or tipped)


def blocked_numbers(outcomes: Sequence[BlockedOutcome]) -> BlockedNumbers:
    records = [record for o in outcomes for record in o.local]
    return BlockedNumbers(
        sum(o.steps for o in outcomes) / max(1, len(outcomes)),
        sum(len(o.fallen) for o in outcomes),
        sum(not record.nodes for record in records),
        dict(Counter(node.decision for record in records for node in record.nodes)))


def flaws(outcome: BlockedOutcome) -> list[str]:
    """The problems of an episode, one sentence each."""
    fell = [f'fell: {", ".join(outcome.fallen)}'] if outcome.fallen else []
    if outcome.success:
        return fell
    return [*fell, outcome.objection, f'{outcome.final_reason}: {outcome.final_detail}']


def _more_json(outcomes: Sequence[BlockedOutcome]) -> dict[str, Any]:
    return {'local_planning': local_metrics(r for o in outcomes for r in o.local).as_dict()}


def _decided(heading: str, decision: Decision) -> Cell[BlockedNumbers]:
    return Cell(heading, f'{decision.value} decisions in all episodes',
                lambda s: str(s.own.decisions.get(decision, 0)))


ROWS = (
    BlockedRow('opposite', 'two that face each other', 'the other two sides are free',
               draws.around(0, 2)),
    BlockedRow('adjacent', 'two neighbours', 'at adjacent sides',
               deciding(draws.around(0, 1), Decision.SUCCESS)),
    BlockedRow('three', 'three neighbours', 'at three sides', draws.around(0, 1, 2)),
    BlockedRow('four', 'four neighbours', 'at all sides',
               deciding(draws.around(0, 1, 2, 3), Decision.RETAIN)),
    BlockedRow('uneven', 'uneven boxes', 'of all sizes at all sides', draws.uneven),
    BlockedRow('under1', 'under one', 'a cube on it',
               deciding(draws.under(1), Decision.SUCCESS)),
    BlockedRow('under2', 'under two', 'a stack of two on it',
               deciding(draws.under(2), Decision.RETAIN)),
    BlockedRow('under3', 'under three', 'a stack of three on it',
               deciding(draws.under(3), Decision.RETAIN)),
    BlockedRow('plank', 'under a plank', 'which lies on another cube too',
               deciding(draws.plank, Decision.SUCCESS)),
    BlockedRow('wall', 'behind a wall', 'with neighbours along it', draws.behind_wall),
    BlockedRow('two', 'two on the place', 'two cubes stand where it goes', draws.occupied('two')),
    BlockedRow('trio', 'three on the place', 'three cubes', draws.occupied('three')),
    BlockedRow('tower', 'a tower on the place', 'two cubes', draws.occupied('tower')),
    BlockedRow('widebox', 'a wide box on the place', 'too wide for the hand',
               draws.occupied('wide')),
    BlockedRow('grid3', 'a grid of 3 x 3', 'the neighbours are boxed in too', draws.grid(3)),
    BlockedRow('grid3tight', 'a tight grid of 3 x 3', 'with gaps of 3 to 5 mm',
               draws.grid(3, (0.003, 0.005))),
    BlockedRow('grid5', 'a grid of 5 x 5', 'two rings of neighbours', draws.grid(5)),
    BlockedRow('wide2', 'two wide neighbours', 'too wide for the hand', draws.too_wide(2)),
    BlockedRow('wide4', 'four wide neighbours', 'too wide for the hand', draws.too_wide(4)),
    BlockedRow('posts2', 'two posts', 'tall: the hand does not fit',
               draws.posts(2, (0.060, 0.070))),
    BlockedRow('posts4', 'four posts', 'tall: the hand does not fit',
               deciding(draws.posts(4, (0.060, 0.070)), Decision.RETAIN)),
    BlockedRow('posts4near', 'four near posts', 'nor the fingers', draws.posts(4, (0.046, 0.054))),
    BlockedRow('loaded1', 'a loaded neighbour', 'one of four carries a cube', draws.loaded(1)),
    BlockedRow('loaded4', 'loaded neighbours', 'each of four carries a cube', draws.loaded(4)),
    BlockedRow('heavy2', 'heavy neighbours', 'two that face each other cannot be lifted',
               draws.heavy(0, 2)),
    BlockedRow('heavy4', 'heavy all around', 'no neighbour can be lifted',
               deciding(draws.heavy(0, 1, 2, 3), Decision.EXPLORE)),
    BlockedRow('explore', 'one of each pair is heavy', 'it must be found out',
               deciding(draws.heavy(0, 1), Decision.EXPLORE)),
    BlockedRow('heavyplace', 'a heavy cube on the place', 'it can only be pushed',
               decisive.heavy_place),
    BlockedRow('balls', 'four balls', 'they roll', draws.balls),
    BlockedRow('base', 'a loaded base', 'two cubes on what it goes on', draws.loaded_base),
    BlockedRow('bowl', 'both in the bowl', 'and then one of its neighbours', draws.both_in_bowl),
    BlockedRow('atgoal', 'a neighbour at its goal', 'it has to stay', draws.at_its_goal),
    BlockedRow('later', 'a place kept clear', 'its place is near', draws.later_place),
    BlockedRow('corner', 'corner of fixed walls', 'must be refused', draws.wall_corner(0)),
    BlockedRow('corner2', 'corner and two cubes', 'must be refused', draws.wall_corner(2)),
    BlockedRow('pit', 'three fixed walls', 'must be refused, nothing is moved', draws.pit),
    BlockedRow('bin', 'corner of a bin', 'must be refused, nothing is moved',
               draws.bin_corner(0)),
    BlockedRow('bin2', 'corner of a bin, two cubes', 'must be refused', draws.bin_corner(2)),
    BlockedRow('bin3', 'corner of a bin, three cubes', 'must be refused', draws.bin_corner(3)),
    BlockedRow('revert', 'a wall seen late', 'what was moved is put back', decisive.late_wall),
    BlockedRow('revert1', 'walls seen below a cube', 'it is put back',
               decisive.late_walls_below(1)),
    BlockedRow('revert2', 'walls seen below two cubes', 'they are put back',
               decisive.late_walls_below(2)),
    BlockedRow('cancel', 'somebody meddles', 'more and more is put on it',
               decisive.meddled(draws.around(0, 1, 2, 3), 'red_cube')),
    BlockedRow('cancel2', 'a stack that grows', 'for each cube taken off come two',
               decisive.meddled(draws.under(2), 'red_cube')),
    BlockedRow('cancel3', 'a tower that grows', 'on the place of the red cube',
               decisive.meddled(draws.occupied('tower'), 'blue_cube')),
)

BLOCKED: Suite[BlockedRow, BlockedOutcome, BlockedNumbers] = Suite(
    'blocked', 'ground-truth perception, a planner that moves nothing out of the way', ROWS,
    BlockedOutcome, run_blocked, blocked_numbers, flaws,
    cells=(
        OK, INTERVAL, FALSE,
        Cell('fell', 'things on the floor or on their side', lambda s: count(s.own.fallen)),
        Cell('steps', 'executed, an episode', lambda s: f'{s.own.steps:.1f}'),
        Cell('none', 'searches that found no option', lambda s: str(s.own.empty)),
        _decided('S', Decision.SUCCESS), _decided('C', Decision.CANCEL),
        _decided('Rt', Decision.RETAIN), _decided('E', Decision.EXPLORE),
        _decided('Rv', Decision.REVERT), ROBOT),
    panels=(SUCCESS,), row_heading='blocked', over_all='all', more_json=_more_json)
