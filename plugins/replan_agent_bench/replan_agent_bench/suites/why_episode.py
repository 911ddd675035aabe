# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""One episode of the benchmark of explanations: a lasting trouble, and what is said about it."""

from __future__ import annotations

import time
from contextlib import nullcontext
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path

from replan_agent.app.build.arm_agent import ArmAgent
from replan_agent.app.build.robot_cell import MujocoCell, RobotParts, build_cell
from replan_agent.app.terminal.film import filmed
from replan_agent.domain.cause import Cause
from replan_agent.domain.config import Config
from replan_agent.domain.failure import Attempt
from replan_agent.domain.scene import CONTAINERS
from replan_agent.domain.task_result import TaskResult
from replan_agent.record.recorders import FanOut, MemoryRecorder
from replan_agent.robot.mujoco.scene.scene_spec import SceneSpec
from replan_agent_bench.outcome import SETTLE_S, Job, Outcome, machine
from replan_agent_bench.scripted.scripted_server import MODEL, FakeModelServer, scripted
from replan_agent_bench.suite import find
from replan_agent_bench.worlds.advice import sound, ways
from replan_agent_bench.worlds.causes_said import objection
from replan_agent_bench.worlds.claims import Checked, check
from replan_agent_bench.worlds.facts import Facts
from replan_agent_bench.worlds.judges import Held, Rose, Truth
from replan_agent_bench.worlds.lasting import Lasting
from replan_agent_bench.worlds.physics_log import Told
from replan_agent_bench.worlds.why_kinds import KINDS, WhyCase

from .objects_episode import things_of

TRUTH, CAMERA = 'ground_truth', 'camera'
NEAR_M = {TRUTH: 0.005, CAMERA: 0.010}
UNKNOWN = 'unknown'
THEN = '; then '  # between the failures that `why` tells


class Advice(str, Enum):
    NONE = 'none'
    HELPED = 'helped'
    USELESS = 'useless'
    NOT_TRIED = 'not_tried'


@dataclass(frozen=True)
class WhyOutcome(Outcome):
    """`success`: it recovered, or the kind of trouble is right and no sentence is untrue.

    `told` are the causes that the verdict tells, `causes` are those of all failed attempts. `met`:
    the log shows that the trouble came about. `doable`: without it the task is done.
    """

    why: str = ''
    would_help: str = ''
    told: str = ''
    right: bool = False
    recovered: bool = False
    met: bool = True
    doable: bool = True
    untrue: tuple[str, ...] = ()
    unchecked: tuple[str, ...] = ()
    advice: Advice = Advice.NONE
    causes: tuple[str, ...] = ()
    causes_right: int = 0


@dataclass(frozen=True)
class Ran:
    """How a case went: what was said, what really happened, and the judge's objection."""

    case: WhyCase
    result: TaskResult
    trouble: Lasting
    objection: str
    wall_s: float
    robot_s: float


def run_case(config: Config, case: WhyCase, seed: int, video: Path | None = None) -> Ran:
    """Run the task in a fresh world with its trouble."""
    started, trouble = time.perf_counter(), Lasting(case.lasting)
    server = FakeModelServer(rules=scripted(case.confusion.rules())) if case.confusion else None
    with server or nullcontext():
        settings = replace(config, planner='search') if server is None else replace(
            config, planner='vlm', vlm=replace(config.vlm, base_url=server.base_url, model=MODEL,
                                               images=False))
        cell = build_cell(RobotParts(settings, SceneSpec(
            'why', objects=case.objects, dropped=bool(case.target.pieces)), seed))
        assert isinstance(cell, MujocoCell)  # the world is judged
        cell = trouble.attached(cell)
        with ArmAgent(cell, config=settings, seed=seed, wrap_perception=trouble.around) as sim, \
                filmed(cell.world, video):
            result = sim.agent(FanOut(MemoryRecorder(), trouble)).run(case.task)
    wall_s, robot_s = time.perf_counter() - started, cell.world.time
    cell.world.step(round(SETTLE_S / cell.world.timestep))
    judge = case.judge
    if isinstance(judge, Held) and case.target.pieces:  # a mesh may hang down, or turn
        judge = Rose(judge.name, trouble.log.position(judge.name, trouble.log.states[0])[2])
    return Ran(case, result, trouble, judge(Truth(cell.world)), wall_s, robot_s)


def facts_of(ran: Ran, said: str, near_m: float = NEAR_M[TRUTH]) -> Facts:
    """The truth behind what was said: of the attempt of which it says most, the last of these."""
    log = ran.trouble.log
    whole = Told(Attempt(0, '', {}, '', ''), 0.0, log.times[-1])
    found = [(len(text), told.until, n) for n, told in enumerate(log.told)
             for text in (*told.said, _remedy(told.attempt)) if text and text in said]
    told = log.told[max(found)[-1]] if found else whole
    return Facts(log, ran.result, told, ran.case.target.name, frozenset(ran.case.blame), near_m)


def _remedy(attempt: Attempt) -> str:
    return attempt.diagnosis.remedy if attempt.diagnosis else ''


def _cause(attempt: Attempt) -> str:
    found = attempt.diagnosis.cause if attempt.diagnosis else None
    return found.value if found else UNKNOWN


def told_causes(ran: Ran) -> tuple[str, ...]:
    """The causes that the verdict tells; how the task ended if it tells no attempt."""
    ended = ran.result.final_reason.value
    told = ran.result.causes or (ended if ended in ran.case.causes else UNKNOWN,)
    open_ = Cause.NOT_DECIDED, Cause.NOT_WHERE_SEEN
    return tuple(dict.fromkeys(UNKNOWN if each in open_ else each for each in told))


def run_why(config: Config, job: Job, video: Path | None = None) -> list[WhyOutcome]:
    """Run the job, check what is said, and carry the advice out.

    A mesh must be one that the agent handles without the trouble: else there are two.
    """
    config = replace(config, perception=job.column or TRUTH)
    things = things_of('random_urdfs', job.objects) if job.objects else ()
    case = find(KINDS, job.row).case_with(things, job.seed)
    plain = run_case(config, sound(case), job.seed) if case.target.pieces else None
    if plain and plain.objection:
        result = plain.result
        return [WhyOutcome(job.row, job.seed, False, plain.objection, result.success,
                           result.final_reason.value, result.final_detail, job.column, met=False,
                           doable=False)]
    ran = run_case(config, case, job.seed, video)
    result, near_m = ran.result, NEAR_M[config.perception]
    failed = not result.success
    told = told_causes(ran) if failed else ()
    said = [(text, facts_of(ran, text, near_m)) for text in (
        *result.why.split(THEN), result.would_help)] if failed else []
    claims, true = [check(*each) for each in said], case.causes | _not_known(ran)
    wrong = {cause: objection(cause, true, said[:-1]) for cause in told if cause != UNKNOWN}
    right = any(not wrong.get(cause, '') for cause in true.intersection(told))
    causes = tuple(_cause(attempt) for attempt in result.attempts)
    untrue = _together(claims, 'untrue') + tuple(filter(None, wrong.values()))
    return [WhyOutcome(
        job.row, job.seed, right and not untrue if failed else not ran.objection, ran.objection,
        result.success, result.final_reason.value, result.final_detail, job.column,
        ran.robot_s, wall_s=ran.wall_s, machine=machine(), why=result.why,
        would_help=result.would_help, told=' + '.join(told), right=right, untrue=untrue,
        recovered=result.success and not ran.objection, met=_met(ran),
        unchecked=_together(claims, 'unchecked'),
        advice=tried(config, ran, job.seed) if failed else Advice.NONE, causes=causes,
        causes_right=sum(cause in case.causes for cause in causes))]


def _met(ran: Ran) -> bool:
    """Whether the trouble came about: it was done, or the arm, or what it should handle, touched
    what no look shows."""
    log, acts = ran.trouble.log, any(trouble.act for trouble in ran.case.lasting)
    unseen = {o.name for o in ran.case.objects if o.unseen}
    return bool(log.happened or not acts) and (
        not unseen or any(touch.body in unseen and (
            touch.of_arm or touch.part == ran.case.target.name) for touch in log.touches))


def _not_known(ran: Ran) -> set[str]:
    """The causes that are true if looks never show what the task names, as what it is."""
    named = [o for o in ran.case.objects if o.name.replace('_', ' ') in ran.case.task]
    return {(Cause.NO_CONTAINER if o.shape in CONTAINERS else Cause.NOT_IN_SCENE).value
            for o in named if not ran.trouble.log.is_known(o.name)}


def _together(claims: list[Checked], field: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each for found in claims for each in getattr(found, field)))


def tried(config: Config, ran: Ran, seed: int) -> Advice:
    """Whether the advice helps: it is carried out in a fresh world, and the task runs again.

    Of "A, or B" each is carried out alone, and one of them must help.
    """
    for round_ in range(ran.case.rounds):
        if not ran.result.would_help:
            return Advice.NONE if round_ == 0 else Advice.USELESS
        helps = ran.result.would_help
        changes = ways(ran.case, helps, facts_of(ran, helps))
        if not changes:
            return Advice.NOT_TRIED
        for changed in changes:
            ran = run_case(config, changed, seed)
            if not ran.objection:
                return Advice.HELPED
    return Advice.USELESS
