# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""One sentence with a language model: planned, carried out on physics, judged by true poses."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from replan_agent.agent.ports import ChatModel, Planner
from replan_agent.app.build.build_planner import build_check
from replan_agent.app.build.compose import Simulation
from replan_agent.app.terminal.film import filmed
from replan_agent.domain.chat import ChatReply, ModelError
from replan_agent.domain.config import Config, VLMConfig
from replan_agent.domain.context import Context
from replan_agent.domain.plan import Plan, PlanCause, PlanReply, PlanRequest, ReplyKind, Step
from replan_agent.domain.task_result import TaskResult
from replan_agent.plan.model.vlm import SHOWN
from replan_agent_bench.outcome import SETTLE_S, Job, Outcome, machine
from replan_agent_bench.worlds.judges import Truth
from replan_agent_bench.worlds.sentence_scenes import SCENES
from replan_agent_bench.worlds.sentence_worlds import Judge, world_of
from replan_agent_bench.worlds.sentences import Sentence

ONCE, AGAIN = 'once', 'again'
PATIENCE_S = 3600.0  # a small machine needs minutes for an answer
LONGEST_REPLY = 800  # tokens
ANSWERS: dict[str, tuple[ChatReply, float]] = {}  # of this process, by question


@dataclass(frozen=True)
class ModelOutcome(Outcome):
    """`success`: done in the world, and reported so. `done_unsaid`: done, but not reported.

    `valid_first`: the first plan passed validation. `invalid_motions`: steps that ran although
    their plan did not pass it, which must never happen. `plan_shown`: the model was shown a plan
    of the search planner, after two of its own were refused.
    """

    sentence: str = ''
    valid_first: bool = False
    done_unsaid: bool = False
    invalid_motions: int = 0
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    model_s: float = 0.0
    plans: int = 0
    first_plan: str = ''
    plan_shown: bool = False


def modes() -> tuple[str, ...]:
    """The ways to ask a model that the settings know."""
    found: dict[str, Any] = {f.name: f.metadata.get('choices') for f in fields(VLMConfig)}
    return tuple(m for m in found.get('mode') or ('tools',) if m != 'auto')


@dataclass
class Counted:
    """A model, and what its answers cost.

    Without chance, the same question has the same answer: it is asked once, and after that its
    answer, tokens and seconds count again. So `again` begins with the answer of `once`.
    """

    model: Any
    server: str  # its address: two servers may give a model the same name
    known: dict[str, tuple[ChatReply, float]]
    calls: int = 0
    tokens: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.model, name)

    def complete(self, *given: Any) -> ChatReply:
        self.calls += 1
        reply, seconds = self._asked(*given)
        self.seconds += seconds
        for name in ('prompt_tokens', 'completion_tokens'):
            used = reply.usage.get(name)
            self.tokens[name] = self.tokens.get(name, 0) + (used if isinstance(used, int) else 0)
        return reply

    def _asked(self, messages: Any, tools: Any, ctx: Context, *form: Any
               ) -> tuple[ChatReply, float]:
        question = repr((self.server, self.model.name, messages, tools, form))
        if question not in self.known:
            started = time.perf_counter()
            try:
                reply: ChatReply = self.model.complete(messages, tools, ctx, *form)
            except ModelError:
                self.seconds += time.perf_counter() - started
                raise
            self.known[question] = reply, time.perf_counter() - started
        return self.known[question]


@dataclass
class Watched:
    """A planner, and whether each of its plans passes validation in the scene it was made for."""

    planner: Planner
    config: Config
    verdicts: list[tuple[tuple[Step, ...], bool]] = field(default_factory=list)
    plan_shown: bool = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self.planner, name)

    def plan(self, request: PlanRequest, ctx: Context) -> PlanReply:
        reply = self.planner.plan(request, ctx)
        steps = reply.steps if reply.kind is ReplyKind.STEPS else ()
        plan = Plan(1, request.task, steps, reply.goals, PlanCause.INITIAL, None,
                    request.scene.scene_id, self.planner.name)
        valid = bool(steps) and not build_check(self.config)(plan, request.scene, request.skills)
        self.verdicts.append((steps, valid))
        self.plan_shown = self.plan_shown or SHOWN in reply.warnings
        return reply

    def ran_unchecked(self, result: TaskResult) -> int:
        """How many steps ran whose plan did not pass validation."""
        valid = [steps for steps, ok in self.verdicts if ok]
        own = {p.version: p.steps for p in result.plans if p.steps not in valid}
        return sum(not s.local_state and s.step in own.get(s.plan_version, ())
                   for s in result.steps)


class Measured(Simulation):
    """A simulation whose model and planner are watched. It runs one task."""

    counted: Counted
    watched: Watched

    def __enter__(self) -> Measured:
        return self

    def planner(self) -> Planner:
        made = self.model
        self.counted = Counted(made(), self.config.vlm.base_url, ANSWERS)
        counted: ChatModel = self.counted
        self.model = lambda: counted
        self.watched = Watched(super().planner(), self.config)
        return self.watched


def settings_of(config: Config, mode: str) -> Config:
    """The settings of an episode: no pictures, no chance, and time for a slow model."""
    known = {f.name for f in fields(VLMConfig)}
    wanted: dict[str, Any] = {
        'mode': mode, 'remember': False, 'images': False, 'temperature': 0.0,
        'timeout': PATIENCE_S, 'first_token_timeout': PATIENCE_S,
        'max_tokens': config.vlm.max_tokens or LONGEST_REPLY}
    vlm = replace(config.vlm, **{k: v for k, v in wanted.items() if k in known})
    agent = replace(config.agent, replan_timeout=PATIENCE_S, replan_min_interval=0.0)
    return replace(config, planner='vlm', perception='ground_truth', vlm=vlm, agent=agent)


def run_case(config: Config, job: Job, case: Sentence, video: Path | None) -> ModelOutcome:
    """The outcome of one sentence; the column is the mode and whether it may plan again."""
    mode, _, how = job.column.partition('/')
    started, cpu_started = time.perf_counter(), time.process_time()
    with Measured(world_of(SCENES[case.scene]), config=settings_of(config, mode), seed=0,
                  max_replans=0 if how == ONCE else None) as sim:
        before = {o.name: o for o in sim.world.true_objects()}
        with filmed(sim.world, video):
            result = sim.run(case.text)
            sim.world.step(round(SETTLE_S / sim.world.timestep))
        objection = Judge(Truth(sim.world), before).objection(case.parts, set())
        robot_s, counted, watched = sim.world.time, sim.counted, sim.watched
    first = watched.verdicts[0] if watched.verdicts else ((), False)
    return ModelOutcome(
        job.row, job.seed, result.success and not objection, objection, result.success,
        result.final_reason.value, result.final_detail, job.column, robot_s, 0.0,
        time.perf_counter() - started, time.process_time() - cpu_started, machine(),
        f'{case.scene}: {case.text}', first[1], not objection and not result.success,
        watched.ran_unchecked(result), counted.calls, counted.tokens.get('prompt_tokens', 0),
        counted.tokens.get('completion_tokens', 0), counted.seconds, len(result.plans),
        '; '.join(f'{s.skill} {" ".join(map(str, s.args.values()))}' for s in first[0]),
        watched.plan_shown)
