# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The suite `chance`: the chance is told before the plan runs; then it runs, several times."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from replan_agent_bench.outcome import SETTLE_S, Job, machine
from replan_agent_bench.suite import Cell, Suite, find
from replan_agent_bench.suites.cells import FALSE, INTERVAL, OK, SUCCESS
from replan_agent_bench.worlds.judges import Truth

from replan_agent.agent.loop import Agent
from replan_agent.agent.ports import Planner
from replan_agent.app.build.compose import Simulation
from replan_agent.app.terminal.film import filmed
from replan_agent.domain.config import Config
from replan_agent.domain.event import ApprovalDecided, ScenePerceived
from replan_agent.domain.plan import Plan
from replan_agent.domain.scene import Scene
from replan_agent.domain.task_result import TaskResult
from replan_agent.record.recorders import MemoryRecorder

from .chance import Collected, unknown
from .chance_numbers import ChanceNumbers, ChanceOutcome, numbers, reliability, sentences
from .chance_rows import ROWS, ChanceCase, ChanceRow
from .covered import covered
from .drawn_errors import DrawnErrors, UnsurePerception
from .drawn_hand import give_hand
from .questions import questions, said
from .sampled_twin import Trial, run_twin

MARK = 0.9  # how much of the processor time a decision there takes is measured, too
REPEATS = 3  # more runs of the same world with new errors: what chance itself leaves
OF_THE_TWINS, OF_THE_WORLD = 1_000_003, 7_919  # apart from each other: nothing is known of both


@dataclass(frozen=True)
class Tried:
    """One real run of a plan."""

    works: bool
    objection: str
    result: TaskResult
    robot_s: float
    cpu_s: float
    plan: Plan | None
    scene: Scene | None
    risk: float = 0.0


def run_case(config: Config, job: Job, video: Path | None = None) -> list[ChanceOutcome]:
    """Run the task in a world with errors, tell the chance from its first look, and repeat it."""
    row, started = find(ROWS, job.row), time.perf_counter()
    case = row.case(job.seed)
    config = single_try(any_plan(config, row))
    first = tried(config, row, case, job.seed, 0, video)
    told = _told(config, case, first, job.seed)
    repeats = [tried(config, row, case, job.seed, k).works for k in range(1, REPEATS + 1)]
    return [replace(
        told, success=first.works, objection=first.objection, claimed=first.result.success,
        final_reason=first.result.final_reason.value, final_detail=first.result.final_detail,
        robot_s=first.robot_s, cpu_s=first.cpu_s, wall_s=time.perf_counter() - started,
        risk=first.risk,
        repeats=(first.works, *repeats), row=job.row, column=job.column,
        steps=len(first.plan.steps) if first.plan else 0)]


def any_plan(config: Config, row: ChanceRow) -> Config:
    """The settings under which every plan passes, and no person is asked."""
    approval = replace(config.approval, threshold=1.0, threshold_max=1.0)  # as told
    return replace(config, planner='search', approver='adaptive', approval=approval,
                   agent=replace(config.agent, human_after=0),
                   perception='camera' if row.by_camera else 'ground_truth')


def single_try(config: Config) -> Config:
    """The settings under which a plan runs as it is: once."""
    return replace(config, agent=replace(config.agent, max_step_retries=0, max_replans=0,
                                         local_planning=False))


def tried(config: Config, row: ChanceRow, case: ChanceCase, seed: int, again: int = 0,
          video: Path | None = None, planner: Planner | None = None,
          changed: Callable[[Agent], Agent] = lambda agent: agent) -> Tried:
    """The task once, in the world of the case with errors of its own for each number `again`."""
    errors = DrawnErrors(case.known, OF_THE_WORLD * (seed + 1) + again)
    cpu, recorder = time.process_time(), MemoryRecorder()
    of_the_world = seed + 100_000 * again if row.by_camera else seed
    with Simulation(case.scene, config=config, planner=planner, seed=of_the_world,
                    wrap_perception=None if row.by_camera else (
                        lambda p: UnsurePerception(p, errors))) as sim:
        give_hand(sim.world, errors.hand)
        judge = case.judge(sim.world)
        with filmed(sim.world, video):
            result = changed(sim.agent(recorder)).run(case.task)
        robot_s, cpu_s = sim.world.time, time.process_time() - cpu
        sim.world.step(round(SETTLE_S / sim.world.timestep))
        objection = judge(Truth(sim.world))
    scene = next((e.scene for e in recorder.events if isinstance(e, ScenePerceived)), None)
    risks = [e.risk or 0.0 for e in recorder.events if isinstance(e, ApprovalDecided)] or [0.0]
    works = result.success and not objection
    return Tried(works, '' if works else objection or 'reported as failed', result, robot_s,
                 cpu_s, result.plans[0] if result.plans else None, scene, risks[0])


def _told(config: Config, case: ChanceCase, first: Tried, seed: int) -> ChanceOutcome:
    """The chance of the first plan, told from what was seen first; as in the approval."""
    blank = ChanceOutcome('', seed, False, '', False, '', '', machine=machine())
    if first.plan is None or first.scene is None:
        return replace(blank, said=unknown('there is no plan').said)
    plan = replace(first.plan, goals=first.result.goals)
    known = covered()
    outside = known.outside(plan, first.scene, config, case.known)
    if outside:
        return replace(blank, said=unknown(outside).said, outside=outside)
    cpu, found = time.process_time(), Collected(known.prior)
    trial = Trial(config, plan, first.scene, case.known, OF_THE_TWINS * (seed + 1))
    decision_s, decision = 0.0, None
    for number in range(found.most):
        enough = found.take([run_twin(trial, number)])
        now = found.is_at(MARK)
        if decision is None and now is not None:
            decision, decision_s = now, time.process_time() - cpu
        if enough and (decision is not None or len(found.ran) >= found.most):
            break
    spent = time.process_time() - cpu
    chance = found.chance(plan)
    return replace(blank, chance=chance.value, twins=chance.twins, worked=chance.worked,
                   said=chance.said, twins_cpu_s=spent, decision_cpu_s=decision_s or spent,
                   at_mark=decision)


def flaws(outcome: ChanceOutcome) -> list[str]:
    """Only what was told wrongly with great confidence."""
    if outcome.chance is None or abs(outcome.chance - outcome.success) < 0.9:
        return []
    return [outcome.said, outcome.objection or 'it worked']


CHANCE: Suite[ChanceRow, ChanceOutcome, ChanceNumbers] = Suite(
    'chance', 'search planner, each plan runs once, judged by physics', ROWS, ChanceOutcome,
    run_case, numbers, flaws,
    cells=(OK, INTERVAL, FALSE,
           Cell('told', 'mean chance, %', lambda s: f'{100 * s.own.told:.1f}'),
           Cell('ECE', 'expected calibration error, 10 bins', lambda s: f'{s.own.ece:.3f}'),
           Cell('by luck', 'the same of a teller that is exactly right',
                lambda s: f'{s.own.ece_by_luck:.3f}'),
           Cell('Brier', 'mean square of chance less outcome', lambda s: f'{s.own.brier:.3f}'),
           Cell('left', 'Brier score that chance itself leaves', lambda s: f'{s.own.left:.3f}'),
           Cell('twins', 'median', lambda s: f'{s.own.twins:.0f}'),
           Cell('cost', 'processor time of a decision at 0.9, in times of the task, median',
                lambda s: f'{s.own.cost:.1f}')),
    panels=(SUCCESS,), over_all='all tasks', shown_flaws=4, notes=lambda outcomes: [
        *sentences(outcomes), *said(outcomes)],
    more_json=lambda outcomes: {'reliability': reliability(outcomes), 'questions': [
        asdict(line) for line in questions(outcomes)]})
