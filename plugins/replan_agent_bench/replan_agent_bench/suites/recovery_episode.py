# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""One episode of the recovery benchmark: a trouble met with one of four kinds of recovery.

The planner is the same in all columns: the scripted model over HTTP. Only the recovery differs.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from replan_agent.app.build.arm_agent import ArmAgent
from replan_agent.app.build.robot_cell import MujocoCell, RobotParts, build_cell
from replan_agent.app.terminal.film import filmed
from replan_agent.domain.config import AgentConfig, Config
from replan_agent.domain.failure import Attempt
from replan_agent.domain.local_planning import LocalRecord
from replan_agent.domain.task_result import TaskResult
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.record.recorders import FanOut, MemoryRecorder
from replan_agent.robot.mujoco.world import World
from replan_agent.text.plain_values import plain
from replan_agent_bench.outcome import SETTLE_S, Job, Outcome, machine
from replan_agent_bench.scripted.scripted_model import scripted_model
from replan_agent_bench.scripted.scripted_server import MODEL, FakeModelServer, scripted
from replan_agent_bench.suite import find
from replan_agent_bench.worlds.judges import Truth

from .injected.failure_modes import MODES
from .injected.injected_rows import INJECTED
from .injected.others_rows import OTHERS
from .troubles import TROUBLES, Trouble, TroubleRow

OFF, PLAIN, NO_LOCAL, WHOLE = 'off', 'plain', 'no_local', 'whole'
ROWS: tuple[TroubleRow, ...] = (*TROUBLES, *OTHERS, *INJECTED, *MODES)
_NO_RECOVERY: dict[str, Any] = {
    'max_step_retries': 0, 'repeat_guard': False, 'reflection': 'none', 'adapt_retries': False,
    'local_planning': False, 'monitor': 'none', 'memory': ''}


@dataclass(frozen=True)
class RecoveryOutcome(Outcome):
    """`success`: by the physics, and the agent says so (`claimed`).

    `wasted` are executed steps that failed, `repeats` executed calls that had been proved
    impossible, with nothing done about it since. `causes` are the diagnoses of the failed
    attempts in order, `injected` is the number of injected faults, `diagnosed_from` the index of
    the first diagnosis after the first of them.
    """

    attempts: int = 0
    model_calls: int = 0
    steps: int = 0
    wasted: int = 0
    repeats: int = 0
    replans: int = 0
    local: tuple[LocalRecord, ...] = ()
    causes: tuple[str, ...] = ()
    injected: int = 0
    diagnosed_from: int = 0

    def as_dict(self) -> dict[str, Any]:
        return {**super().as_dict(), 'local': plain(self.local)}


def column_config(base: AgentConfig, column: str) -> AgentConfig:
    """The settings of a column; `whole` is the base as it is."""
    if column in (WHOLE, NO_LOCAL):
        return base if column == WHOLE else replace(base, local_planning=False)
    plain = replace(base, **_NO_RECOVERY)
    return plain if column == PLAIN else replace(plain, replanning=False, max_replans=0,
                                                 max_total_replans=0)


def run_recovery(config: Config, job: Job, video: Path | None = None) -> list[RecoveryOutcome]:
    """Run the job with the whole agent and judge it; `video` films it."""
    row = find(ROWS, job.row)
    case = row.case(job.seed)
    started = time.perf_counter()
    injection = case.injection() if case.injection else None
    with _model(case) as model:
        vlm = replace(config.vlm, base_url=model.base_url, model=MODEL, images=False)
        settings = replace(config, planner='vlm', vlm=vlm,
                           agent=column_config(config.agent, job.column))
        cell = build_cell(RobotParts(settings, row.scene(case), job.seed))
        assert isinstance(cell, MujocoCell)  # the world is judged
        cell = injection.attached(cell) if injection else cell
        edge = injection or case.mishap
        sim = ArmAgent(cell, config=settings, seed=job.seed,
                       wrap_perception=edge.around if edge else None)
        world = cell.world
        if case.push:
            case.push.begin(world)
        recorder = FanOut(MemoryRecorder(), *((injection,) if injection else ()))
        with filmed(world, video):
            result = sim.agent(recorder).run(case.task)
    wall_s, robot_s = time.perf_counter() - started, world.time
    world.step(round(SETTLE_S / world.timestep))
    outcome = replace(_judged(job, case, world, result), wall_s=wall_s, robot_s=robot_s)
    return [replace(outcome, injected=injection.injected, diagnosed_from=injection.diagnosed_from
                    ) if injection else outcome]


def _model(case: Trouble) -> FakeModelServer:
    if case.confusion is None:
        return scripted_model(case.misbehave)
    return FakeModelServer(case.misbehave, rules=scripted(case.confusion.rules()))


def _judged(job: Job, case: Trouble, world: World, result: TaskResult) -> RecoveryOutcome:
    if case.refusal is not None:
        objection = case.refusal(result)
    else:
        assert case.judge is not None  # a row has one of the two judges
        objection = case.judge(Truth(world))
        if not objection and not result.success:
            objection = 'done, but reported as failed'
    return RecoveryOutcome(
        row=job.row, column=job.column, seed=job.seed, success=not objection,
        objection=objection, claimed=result.success, final_reason=result.final_reason.value,
        final_detail=result.final_detail, attempts=len(result.attempts),
        model_calls=result.api_calls, steps=len(result.steps),
        wasted=sum(not step.result.success for step in result.steps),
        repeats=proved_repeats(result), replans=result.replans,
        local=result.local, causes=tuple(_cause(attempt) for attempt in result.attempts),
        machine=machine())


def _cause(attempt: Attempt) -> str:
    found = attempt.diagnosis.cause if attempt.diagnosis else None
    return found.value if found else ''


def proved_repeats(result: TaskResult) -> int:
    """The number of executed calls that were already proved impossible in an unchanged scene.

    A step that succeeded may have changed the scene; one that does not move the arm has not.
    """
    still = {spec.name for spec in standard_skills().specs() if not spec.moves_arm}
    proved: list[tuple[str, dict[str, Any]]] = []
    repeats = 0
    for record in result.steps:
        call = (record.step.skill, dict(record.step.args))
        repeats += call in proved
        if record.result.proved_impossible:
            proved.append(call)
        elif record.result.success and record.step.skill not in still:
            proved.clear()
    return repeats
