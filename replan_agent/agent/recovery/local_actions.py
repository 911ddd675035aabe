# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Local planning: a few small actions around a blocked step, each approved, executed and judged.

The search proposes options. Their steps are checked and approved like a plan, and are noted as
adaptations of the plan that is running.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from replan_agent.domain import event as events
from replan_agent.domain.local_planning import (
    PUT_BACK_M,
    Decision,
    LocalNode,
    LocalOption,
    LocalRecord,
)
from replan_agent.domain.plan import Plan, PlanCause, Step
from replan_agent.domain.recovery import FailureCase, Fix, Response, Situation
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import Reason
from replan_agent.domain.task_result import FinalReason
from replan_agent.geometry.situation import build_situation
from replan_agent.geometry.steps.same_places import same_places
from replan_agent.geometry.support import footprint

from .. import ports
from ..approval import approve
from ..checks import objection_to
from ..diagnosing import failed_step, reflect, respond
from ..episode import Edited, Ended, Episode
from ..looking import look
from ..remembering import Lesson, learn
from ..state.budgets import STEPS
from ..step import execute_once
from ..task_progress import State
from .own_steps import agreed, flaw, own_plan

LEFT_STEPS = 3.0  # to leave an object where it was moved for nothing costs as much as these steps
IN_THE_WAY_STEPS = 10.0  # the same if it stands where a goal wants something
HELPED = (Decision.SUCCESS, Decision.RETAIN)
AGAIN = (Response.RETRY, Response.RECAPTURE)
NO_OPTION = 'no option is left'


@dataclass(frozen=True)
class Solved:
    """The blocked step, ready to be tried again; what helped is remembered if it succeeds."""

    step: Step
    lessons: tuple[Lesson, ...]


def solve_locally(ep: Episode, step: Step, case: FailureCase) -> Solved | None:
    """The blocked step after local planning; None if that did not help."""
    planner = ep.ports.local_planner
    assert planner is not None  # only a policy with a local planner responds LOCAL
    ep.enter(State.LOCAL_PLANNING)
    search = planner.begin(step, case, ep.failures.remembered, ep.ctx, tuple(ep.failures.local))
    if search is None:
        _keep(ep, LocalRecord(case.attempt.step_idx, step, '', (), False, NO_OPTION))
        return None
    with ep.failures.keeping_current():
        solving = _Search(ep, step, case, search)
        solved = solving.run()
        disturbed = ep.failures.case is not case  # an action of the search failed too
    if disturbed:
        reflect(ep, case, deep=False)
    return Solved(solved, solving.lessons()) if solved else None


def _is_back(before: Scene, now: Scene) -> bool:
    """Whether the same is held, and all else is seen where it was. What is new does not count."""
    seen = replace(now, objects=tuple(o for o in now.objects if before.get(o.name)))
    return same_places(before, seen, PUT_BACK_M, ignoring=(before.held,))


def _keep(ep: Episode, record: LocalRecord) -> None:
    ep.failures.local.append(record)
    ep.record(events.LocalPlanningFinished(record))


class _Search:
    """One run of local planning around a failed step."""

    def __init__(self, ep: Episode, step: Step, case: FailureCase,
                 search: ports.LocalSearch) -> None:
        self._ep = ep
        self._step = step
        self._case = case
        self._search = search
        self._nodes: list[LocalNode] = []
        self._before: list[Scene] = []  # the scene before each of them
        self._states = 0
        self._helped: dict[str, Fix] = {}
        self._index = case.attempt.step_idx
        self._warned: set[str] = set()
        self._other_wish = ''  # what a person wants instead of an option

    def lessons(self) -> tuple[Lesson, ...]:
        """The kinds of action that helped, once each."""
        return tuple((self._situation(), fix) for fix in self._helped.values())

    def run(self) -> Step | None:
        ep = self._ep
        ep.record(events.LocalPlanningStarted(self._index, self._step, self._search.goal,
                                              self._search.score(ep.scene, ep.ctx)))
        solved, detail = None, 'the task ended here'
        try:
            solved, detail = self._try_options()
        finally:  # the record is kept, however it ends
            _keep(ep, LocalRecord(self._index, self._step, self._search.goal,
                                  tuple(self._nodes), solved is not None, detail))
        return solved

    def _try_options(self) -> tuple[Step | None, str]:
        """The blocked step if it can be done now, and how the search ended."""
        ep, most = self._ep, self._ep.ports.config.local_max_iterations
        while True:
            option = self._search.next_option(ep.scene, ep.ctx)
            if option is None and self._back_up():
                continue  # other options may be left in the state before it
            if option is None:
                return None, NO_OPTION
            if len(self._nodes) >= most:
                return None, f'no solution within local_max_iterations={most}'
            node = self._try(option)
            if self._other_wish:
                wish = self._other_wish
                return None, f'{option.name} was not used: a person said: {wish}'
            if node.decision is Decision.SUCCESS:
                return self._changed(option, node.detail)
            if node.decision is Decision.CANCEL:
                return None, node.detail

    def _next_number(self) -> str:
        """The number of the next state: '8.1' is the first after step 8 was blocked."""
        self._states += 1
        return f'{self._index}.{self._states}'

    def _back_up(self) -> bool:
        """At a dead end, undo the last action that is worth it. Whether one was undone."""
        for k in reversed(range(len(self._nodes))):
            node, before = self._nodes[k], self._before[k]
            if node.reverted_to or not (node.succeeded and node.option.undo):
                continue
            if not self._is_worth_undoing(node):
                return False
            self._nodes[k] = self._undone(node, before)
            return self._nodes[k].reverted
        return False

    def _is_worth_undoing(self, node: LocalNode) -> bool:
        """Whether it costs less to bring things back than to leave them where they are."""
        ep, steps = self._ep, len(node.option.undo or ())
        if not self._search.can_undo(node.option, ep.scene, ep.ctx):
            return False
        thing = ep.scene.get(node.option.object)
        places = [part.position for goal in ep.goals.all for part in goal.named(ep.scene)
                  if part.position and part.object != node.option.object]
        in_the_way = thing is not None and any(
            math.dist(thing.position[:2], at) < 2 * footprint(thing) for at in places)
        cost = IN_THE_WAY_STEPS if in_the_way else LEFT_STEPS
        return steps < cost and steps < ep.budgets.left(STEPS)

    def _undone(self, node: LocalNode, before: Scene) -> LocalNode:
        """The node after its action was undone: `reverted` if all is seen where it was."""
        ep, number = self._ep, self._next_number()
        undone = self._execute(node.option.undo or (), f'undo {node.option.name}', number)
        return replace(node, reverted=undone and _is_back(before, ep.scene), reverted_to=number)

    def _changed(self, option: LocalOption, detail: str) -> tuple[Step | None, str]:
        """The blocked step with the option's changes, or None if it may not run; and a remark."""
        (step,) = self._ep.capped((Fix('', option.changes).applied_to(self._step),))
        if dict(step.args) == dict(self._step.args):
            return self._step, detail
        plan = own_plan(self._ep, (step,), PlanCause.LOCAL, 'local', option.why)
        problem = flaw(self._ep, plan, self._index)  # approved before it runs, like any retry
        if problem:
            return None, problem
        self._ep.plans.adapt(plan, self._index, plan.steps)
        return step, detail

    def _try(self, option: LocalOption) -> LocalNode:
        """Execute an option, look, let the search judge it, and undo it if the search says so."""
        ep, before, number = self._ep, self._ep.scene, self._next_number()
        done = self._execute(option.steps, option.why, number, option.later)
        node = self._search.judge(number, option, before, ep.scene, done, ep.ctx)
        self._nodes.append(node)
        self._before.append(before)
        if node.decision is Decision.REVERT and node.option.undo and not self._other_wish:
            node = self._nodes[-1] = self._undone(node, before)
        ep.record(events.LocalActionJudged(node))
        if not self._other_wish:
            self._learn(option, node.decision)
        if node.decision not in (Decision.SUCCESS, Decision.CANCEL):
            ep.enter(State.LOCAL_PLANNING)
        return node

    def _execute(self, steps: Sequence[Step], why: str, number: str,
                 later: Sequence[Step] = ()) -> bool:
        """Whether all the steps succeeded; the scene is fresh afterwards.

        With a rehearsal, the twin goes on with the `later` steps.
        """
        if not steps:
            return True
        ep = self._ep
        plan = own_plan(ep, tuple(steps), PlanCause.LOCAL, 'local', why)
        problem = objection_to(ep, plan)
        try:
            if not problem:
                plan, problem = agreed(ep, plan, self._index, tuple(later))
        except Edited as edited:
            self._other_wish = problem = edited.wish
        if problem:
            return False
        self._warn(plan.steps, why)
        return all(self._carry_out(plan, step, number) for step in plan.steps)

    def _carry_out(self, plan: Plan, step: Step, number: str) -> bool:
        """Whether the step succeeded, at the second try if the first one failed by chance."""
        ep = self._ep
        for retry in range(2):
            result = execute_once(ep, plan, self._index, step, retry, local_state=number)
            if result.success:
                look(ep)
                ep.sight.keep()
                return True
            case = failed_step(ep, plan, self._index, step, result, local_state=number)
            if result.reason is Reason.STOPPED:
                raise Ended(FinalReason.STOPPED, ep.failures.sentence, failure=case.attempt)
            if not ep.sight.just_looked:
                look(ep)
            if respond(ep, case, retry, may_work_around=False) not in AGAIN:
                break
            approve(ep, replace(plan, steps=(step,)))
        return False

    def _warn(self, steps: Sequence[Step], why: str) -> None:
        """A warning about each object that is moved although the task does not name it."""
        ep = self._ep
        meant = {part.object for goal in ep.goals.all for part in goal.named(ep.scene)}
        meant |= {self._case.handled, *self._warned}
        for step in steps:
            spec = ep.spec_of(step)
            name = spec.moves(step.args) if spec is not None else None
            if name is not None and name not in meant:
                self._warned.add(name)
                meant.add(name)
                ep.warn(f'{name} is moved too: {why}')

    def _learn(self, option: LocalOption, decision: Decision) -> None:
        """Remember an option that failed at once; one that helped, after the step was tried."""
        fix = Fix(option.why, option.changes, option.kind, 'local')
        if decision in HELPED:
            self._helped.setdefault(f'{fix.option} {dict(fix.changes)}', fix)
        else:
            learn(self._ep, [(self._situation(), fix)], False)

    def _situation(self) -> Situation:
        return build_situation(self._step, self._case.before, self._case.skill, self._case.attempt)
