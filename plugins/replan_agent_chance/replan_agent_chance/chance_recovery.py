# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""After a failed step: the retry that is likeliest to help, or a new plan if that is likelier."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from replan_agent.agent.ports import Policy, Reflector
from replan_agent.app.build.build_reader import build_reader
from replan_agent.domain.config import Config
from replan_agent.domain.context import Context, DeadlineExceeded
from replan_agent.domain.failure import AttemptStage, Diagnosis
from replan_agent.domain.plan import Plan, PlanCause, PlanRequest, ReplyKind, Step
from replan_agent.domain.port_errors import RehearsalError
from replan_agent.domain.recovery import (
    FailureCase,
    Fix,
    Reflection,
    Remembered,
    Response,
    RetryCounts,
)
from replan_agent.domain.skill import SkillSpec, find_spec
from replan_agent.geometry.steps.forecast import Forecast
from replan_agent.plan.search.search_planner import SearchPlanner

from .covered import covered
from .sampled_twin import Trial, skills_of
from .sampling import CLEAR, LONGEST_S
from .twins import twins
from .uncertainty import Uncertainty
from .ways import Way, changed_steps

DRAWN, ALIKE = 16, 6  # twins in which the step runs, and how many that fail alike are enough
MOST_CHANGES = 3  # that are compared with the usual retry
OF_THE_RECOVERY = 32_452_843  # twins of its own
RETRIED = (Response.RETRY, Response.RECAPTURE)


@dataclass(frozen=True)
class Compared:
    """The usual retry, and the way that is clearly better; None: there is none."""

    usual: Way
    best: Way | None = None
    step: Step | None = None  # that it retries; None: it is a new plan

    @property
    def said(self) -> str:
        assert self.best is not None
        n = len(self.usual.ran)
        return (f'{self.best.change}: it works in {self.best.worked} of {n} twins that failed '
                f'alike, {self.usual.change} in {self.usual.worked}')


class LikeliestRecovery:
    """The ports Policy and Reflector: those of the agent, and what twins say about their retry.

    Only twins in which the step fails as it failed here say what may help: there the usual retry,
    the other changes that its skill names, and a new plan for the goals run to their end. A way
    that works clearly more often is taken. What the twins do not cover goes on as usual.
    """

    def __init__(self, config: Config, known: Uncertainty, policy: Policy, reflector: Reflector
                 ) -> None:
        self._config = replace(config, agent=replace(config.agent, chance=''))
        self._known, self._policy, self._reflector = known, policy, reflector
        self._planner = SearchPlanner(build_reader(config.viewpoint))
        self._found: Compared | None = None
        self.chosen: list[Compared] = []  # what came instead of the usual retry

    def diagnose(self, case: FailureCase) -> Diagnosis:
        return self._policy.diagnose(case)

    def respond(self, diagnosis: Diagnosis, tries: RetryCounts, is_step: bool) -> Response:
        """As usual; but a new plan instead of a retry, where that is clearly likelier."""
        usual, found = self._policy.respond(diagnosis, tries, is_step), self._found
        is_new = found is not None and found.best is not None and found.step is None
        return Response.REPLAN if is_new and usual in RETRIED else usual

    def reflect(self, case: FailureCase, remembered: Sequence[Remembered], deep: bool,
                ctx: Context) -> Reflection:
        """As usual, with the likeliest change. `deep` is about the same failure again."""
        reflection = self._reflector.reflect(case, remembered, deep, ctx)
        if not deep:
            self._found = None
            try:
                self._found = self._compared(case, reflection.fix, ctx)
            except (RehearsalError, DeadlineExceeded) as error:  # the loop sees if its own is over
                return replace(reflection, contributing_factors=(
                    *reflection.contributing_factors, f'no retries were compared: {error}'))
            if self._found is not None and self._found.best is not None:
                self.chosen.append(self._found)
        found = self._found
        if found is None or found.best is None:
            return reflection
        if found.step is None or case.step is None:
            return replace(reflection, contributing_factors=(
                *reflection.contributing_factors, found.said))
        spec = find_spec(skills_of(self._config).specs(), found.step.skill)
        changes = {name: value for name, value in found.step.args.items()  # all that it ran with
                   if spec is not None and name in spec.adjustable}
        return replace(reflection, fix=Fix(found.best.change, changes, source='chance'),
                       contributing_factors=(*reflection.contributing_factors, found.said))

    def _compared(self, case: FailureCase, fix: Fix | None, ctx: Context) -> Compared | None:
        """None if nothing could be compared."""
        step, diagnosis = case.step, case.attempt.diagnosis
        retried = diagnosis is not None and case.attempt.stage is AttemptStage.EXECUTE and (
            not case.attempt.evidence.get('guarded')
            and self._policy.respond(diagnosis, RetryCounts(), True) in RETRIED)
        if step is None or not retried:
            return None
        return self._in_twins(case, step, fix, ctx.within(LONGEST_S))

    def _in_twins(self, case: FailureCase, step: Step, fix: Fix | None, ctx: Context
                  ) -> Compared | None:
        skills = skills_of(self._config).specs()
        request = PlanRequest('', case.after or case.before, skills, (*case.earlier, case.attempt),
                              goals=case.goals)
        rest = self._rest(step, request, ctx)
        if rest is None or self._outside(case, (step, *rest)):
            return None
        alike = self._alike(case, step, ctx)
        if len(alike) < CLEAR:
            return None
        trial = Trial(self._config, _plan(case, (step, *rest)), request.scene, self._known,
                      OF_THE_RECOVERY)
        again = fix.applied_to(step) if fix is not None else step
        usual = Way((again, *rest), _told(step, again)).tried(trial, alike, ctx)
        found = Compared(usual)
        if usual.worked + CLEAR > len(alike):
            return found
        for changed in (*islice(self._changed(case, step, again, skills), MOST_CHANGES), None):
            steps = self._new(step, request, ctx) if changed is None else (changed, *rest)
            if not steps or self._outside(case, steps):
                continue
            way = Way(steps, ' → '.join(each.told for each in steps) if changed is None else
                      _told(step, changed)).tried(
                trial, alike, ctx, len(alike) - CLEAR - usual.worked)
            if way.worked >= usual.worked + CLEAR and (
                    found.best is None or way.worked > found.best.worked):
                found = Compared(usual, way, changed)
        return found

    def _alike(self, case: FailureCase, step: Step, ctx: Context) -> list[int]:
        """The numbers of the twins of the scene before it in which it fails as it did here."""
        cause, reason = case.attempt.cause, case.attempt.reason
        why = cause.value if cause is not None else reason
        trial = Trial(self._config, replace(_plan(case, (step,)), goals=()), case.before,
                      self._known, OF_THE_RECOVERY)
        ran = twins(trial, range(DRAWN), 1, ctx)
        return list(islice((n for n, one in enumerate(ran) if one.failure == why), ALIKE))

    def _rest(self, step: Step, request: PlanRequest, ctx: Context) -> tuple[Step, ...] | None:
        """The steps to the goals after this one has worked; None if there is no way."""
        if not request.goals:
            return ()
        spec, scene = find_spec(request.skills, step.skill), request.scene
        then = Forecast(scene, scene.held).after(step, spec).expected
        if then is None:
            return None
        reply = self._planner.plan_for(request.goals, replace(
            request, scene=then, prior_attempts=()), ctx)
        return reply.steps if reply.kind in (ReplyKind.STEPS, ReplyKind.DONE) else None

    def _new(self, step: Step, request: PlanRequest, ctx: Context) -> tuple[Step, ...]:
        """A plan that begins otherwise than with this step; none if a new one would repeat it."""
        version = request.prior_attempts[-1].plan_version
        agent = self._config.agent
        if not (request.goals and agent.replanning) or version > min(
                agent.max_replans, agent.max_total_replans):
            return ()
        reply = self._planner.plan_for(request.goals, request, ctx)
        spec = find_spec(request.skills, step.skill)
        planned = {name: value for name, value in step.args.items()
                   if spec is None or name not in spec.adjustable}
        same = reply.steps and (reply.steps[0].skill, dict(reply.steps[0].args)) == (
            step.skill, planned)
        return () if same or reply.kind is not ReplyKind.STEPS else reply.steps

    def _changed(self, case: FailureCase, step: Step, again: Step, skills: Sequence[SkillSpec]
                 ) -> Iterator[Step]:
        """The step with each change that was not tried and is not the usual one."""
        tried = [dict(each.args) for each in case.earlier if each.skill == step.skill]
        return (changed for changed in changed_steps(step, case.cause, skills)
                if dict(changed.args) not in tried and changed.call != again.call)

    def _outside(self, case: FailureCase, steps: tuple[Step, ...]) -> str:
        scene = replace(case.before, held=None)  # a step may also put something down
        return covered().outside(_plan(case, steps), scene, self._config, self._known)


def _plan(case: FailureCase, steps: tuple[Step, ...]) -> Plan:
    return Plan(case.attempt.plan_version, '', steps, case.goals, PlanCause.ERROR, None,
                case.before.scene_id, 'agent')


def _told(step: Step, again: Step) -> str:
    return again.told if again.call != step.call else 'the step as it was'
