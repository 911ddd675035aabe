# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sentences: what a planner makes of them, by the goal that each must give, or by physics."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from replan_agent.agent.ports import Snapshot
from replan_agent.app.build.build_planner import build_check, build_planner, chat_model
from replan_agent.app.build.compose import Simulation
from replan_agent.app.terminal.film import filmed
from replan_agent.domain.config import Config, ConfigError
from replan_agent.domain.context import Context
from replan_agent.domain.plan import PlanRequest
from replan_agent.execute.skills.standard import standard_skills
from replan_agent_bench.outcome import SETTLE_S, Job, Outcome, machine
from replan_agent_bench.suite import Cell, Column, Suite, find
from replan_agent_bench.worlds.expectation import is_refusal, mismatch
from replan_agent_bench.worlds.judges import Truth
from replan_agent_bench.worlds.sentence_scenes import SCENES
from replan_agent_bench.worlds.sentence_worlds import Judge, world_of
from replan_agent_bench.worlds.sentences import KINDS, Sentence, all_sentences

from .cells import INTERVAL, OK, SUCCESS, count

PHYSICS = 'physics'


@dataclass(frozen=True)
class SentenceRow:
    """A kind of sentence. The seed is the number of the sentence."""

    name: str
    title: str
    sentences: tuple[Sentence, ...]
    bar: float | None = 0.95

    @property
    def episodes(self) -> int:
        return len(self.sentences)


ROWS = tuple(SentenceRow(kind, title, tuple(s for s in all_sentences() if s.kind == kind))
             for kind, title in KINDS.items())


@dataclass(frozen=True)
class SentenceOutcome(Outcome):
    """`refused`: the planner refused or asked, or the agent said that it failed."""

    sentence: str = ''
    refused: bool = False
    plan_s: float = 0.0  # CPU


@dataclass(frozen=True)
class SentenceNumbers:
    refused: int  # without need
    wrong: int
    plan_ms: float  # CPU, the slowest


def run_sentence(config: Config, job: Job, video: Path | None = None) -> list[SentenceOutcome]:
    """The outcome of one sentence."""
    case = find(ROWS, job.row).sentences[job.seed % len(find(ROWS, job.row).sentences)]
    if job.column == PHYSICS:
        return [_carried_out(config, job, case, video)]
    planner = build_planner(
        replace(config, planner=job.column, viewpoint=case.viewpoint,
                vlm=replace(config.vlm, images=False)),
        lambda: chat_model(config.vlm), build_check(config), _no_pictures)
    skills = standard_skills().specs()
    started = time.process_time()
    reply = planner.plan(PlanRequest(case.text, SCENES[case.scene], skills), Context())
    plan_s = time.process_time() - started
    wrong, refused = mismatch(case, reply, skills), is_refusal(reply) or not (
        reply.goals or reply.steps)
    return [SentenceOutcome(
        job.row, job.seed, not wrong, wrong, not refused, reply.kind.value, reply.detail,
        job.column, cpu_s=plan_s, machine=machine(), sentence=f'{case.scene}: {case.text}',
        refused=refused, plan_s=plan_s)]


def _no_pictures() -> Snapshot:
    raise ConfigError('the scenes of the sentences have no pictures')


def _carried_out(config: Config, job: Job, case: Sentence, video: Path | None) -> SentenceOutcome:
    """The sentence on physics, judged by true poses."""
    if SCENES[case.scene].held is not None:
        return SentenceOutcome(job.row, job.seed, True, '', False, 'not run', 'held at first',
                               job.column, machine=machine(), sentence=case.text, refused=True)
    started, cpu_started = time.perf_counter(), time.process_time()
    settings = replace(config, planner='search', perception='ground_truth',
                       viewpoint=case.viewpoint)
    with Simulation(world_of(SCENES[case.scene]), config=settings, seed=0) as sim:
        truth = Truth(sim.world)
        before = {o.name: o for o in sim.world.true_objects()}
        with filmed(sim.world, video):
            result = sim.run(case.text)
            sim.world.step(round(SETTLE_S / sim.world.timestep))
        judge = Judge(truth, before, -1.0 if case.viewpoint == 'person' else 1.0)
        named = {str(v) for plan in result.plans for s in plan.steps for v in s.args.values()}
        parts = [] if case.is_refused or case.wanted == 'nothing' else case.parts
        objection = judge.objection(parts, named if parts else set())
        robot_s = sim.world.time
    return SentenceOutcome(
        job.row, job.seed, not objection, objection, result.success, result.final_reason.value,
        result.final_detail, job.column, robot_s, 0.0, time.perf_counter() - started,
        time.process_time() - cpu_started, machine(), f'{case.scene}: {case.text}',
        not result.success, 0.0)


def numbers(outcomes: Sequence[SentenceOutcome]) -> SentenceNumbers:
    bad = [o for o in outcomes if not o.success]
    return SentenceNumbers(sum(o.refused for o in bad), sum(not o.refused for o in bad),
                           1000 * max(o.plan_s for o in outcomes))


def flaws(outcome: SentenceOutcome) -> list[str]:
    if outcome.success:
        return []
    how = 'refused' if outcome.refused else 'WRONG'
    return [f'{how}: "{outcome.sentence}": {outcome.objection}', outcome.final_detail[:120]]


LANGUAGE: Suite[SentenceRow, SentenceOutcome, SentenceNumbers] = Suite(
    'language', 'sentences as people write them', ROWS, SentenceOutcome, run_sentence, numbers,
    flaws,
    cells=(OK, INTERVAL,
           Cell('refused', 'refused, asked or failed without need',
                lambda s: str(s.own.refused)),
           Cell('wrong', 'understood as something else', lambda s: count(s.own.wrong)),
           Cell('ms', 'CPU of the slowest plan', lambda s: f'{s.own.plan_ms:.0f}')),
    panels=(SUCCESS,), row_heading='kind of sentence',
    columns=tuple(Column(name, name) for name in ('search', 'stub', 'vlm', PHYSICS)),
    column_heading='planner', filmed=PHYSICS, over_all='all sentences', option='planner')
