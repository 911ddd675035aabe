"""Local planning: a few small actions around a blocked step, each approved, executed and judged.

The search proposes options. Their steps are checked and approved like a plan, and are noted as
adaptations of the plan that is running.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from replan_agent.domain import event as events
from replan_agent.domain.local_planning import Decision, LocalNode, LocalOption, LocalRecord
from replan_agent.domain.plan import Adaptation, PlanCause, Step
from replan_agent.domain.recovery import FailureCase, Fix, Situation
from replan_agent.domain.same_places import same_places
from replan_agent.domain.situation import build_situation
from replan_agent.domain.skill import Reason
from replan_agent.domain.task_result import FinalReason

from . import ports
from .episode import Edited, Ended, Episode
from .failures import failed_step, reflect
from .looking import look
from .own_plans import agreed, flaw, own_plan
from .states import State
from .step import execute_once

PUT_BACK_M = 0.02  # a moved object is back if it is seen this close to where it was
HELPED = (Decision.SUCCESS, Decision.RETAIN)

Lesson = tuple[Situation, Fix]


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
    remembered = ep.remembered
    search = planner.begin(step, case, remembered, ep.ctx)
    if search is None:
        return None
    with ep.keeping_current_failure():
        solving = _Search(ep, step, case, search)
        solved = solving.run()
        disturbed = ep.case is not case  # an action of the search failed too
    if disturbed:
        reflect(ep, case, deep=False)
    return Solved(solved, solving.lessons()) if solved else None


class _Search:
    """One run of local planning around a failed step."""

    def __init__(self, ep: Episode, step: Step, case: FailureCase,
                 search: ports.LocalSearch) -> None:
        self._ep = ep
        self._step = step
        self._case = case
        self._search = search
        self._nodes: list[LocalNode] = []
        self._helped: dict[str, Fix] = {}
        self._index = case.attempt.step_idx
        self._warned: set[str] = set()
        self._other_wish = ''  # what a person wants instead of an option

    def lessons(self) -> tuple[Lesson, ...]:
        """The kinds of action that helped, once each."""
        return tuple((self._situation(), fix) for fix in self._helped.values())

    def run(self) -> Step | None:
        ep, index = self._ep, self._index
        ep.record(events.LocalPlanningStarted(index, self._step, self._search.goal,
                                              self._search.score(ep.current_scene, ep.ctx)))
        detail = f'no solution within local_max_iterations={ep.ports.config.local_max_iterations}'
        solved: Step | None = None
        for iteration in range(1, ep.ports.config.local_max_iterations + 1):
            option = self._search.next_option(ep.current_scene, ep.ctx)
            if option is None:
                detail = 'no option is left'
                break
            node = self._try(f'{index}.{iteration}', option)
            if self._other_wish:
                detail = f'{option.name} was not used: a person said: {self._other_wish}'
                break
            if node.decision is Decision.SUCCESS:
                solved, detail = self._changed(option, node.detail)
                break
            if node.decision is Decision.CANCEL:
                detail = node.detail
                break
        record = LocalRecord(index, self._step, self._search.goal, tuple(self._nodes),
                             solved is not None, detail)
        ep.local.append(record)
        ep.record(events.LocalPlanningFinished(record))
        return solved

    def _changed(self, option: LocalOption, detail: str) -> tuple[Step | None, str]:
        """The blocked step with the option's changes, or None if it may not run; and a remark."""
        (step,) = self._ep.capped((Fix('', option.changes).applied_to(self._step),))
        if dict(step.args) == dict(self._step.args):
            return self._step, detail
        plan = own_plan(self._ep, (step,), PlanCause.LOCAL, 'local', option.why)
        problem = flaw(self._ep, plan, self._index)  # approved before it runs, like any retry
        if problem:
            return None, problem
        self._ep.adapt_plan(Adaptation(self._index, plan.steps, plan.cause, plan.reason),
                            plan.steps)
        return step, detail

    def _try(self, number: str, option: LocalOption) -> LocalNode:
        """Execute an option, look, let the search judge it, and undo it if the search says so."""
        ep, before = self._ep, self._ep.current_scene
        done = self._execute(option.steps, option.why, number)
        node = self._search.judge(number, option, before, ep.current_scene, done, ep.ctx)
        if node.decision is Decision.REVERT and node.option.undo and not self._other_wish:
            undone = self._execute(node.option.undo, f'undo {option.name}', number)
            back = undone and same_places(before, ep.current_scene, PUT_BACK_M,
                                          ignoring=(before.held,))
            node = replace(node, reverted=back)
        self._nodes.append(node)
        ep.record(events.LocalActionJudged(node))
        if not self._other_wish:
            self._learn(option, node.decision)
        if node.decision not in (Decision.SUCCESS, Decision.CANCEL):
            ep.enter(State.LOCAL_PLANNING)
        return node

    def _execute(self, steps: Sequence[Step], why: str, number: str) -> bool:
        """Whether all the steps succeeded; the scene is fresh afterwards."""
        if not steps:
            return True
        ep = self._ep
        plan = own_plan(ep, tuple(steps), PlanCause.LOCAL, 'local', why)
        try:
            plan, problem = agreed(ep, plan, self._index)
        except Edited as edited:
            self._other_wish = problem = edited.wish
        if problem:
            return False
        self._warn(plan.steps, why)
        for step in plan.steps:
            result = execute_once(ep, plan, self._index, step, local_state=number)
            if not result.success:
                failed_step(ep, plan, self._index, step, result, local_state=number)
                if result.reason is Reason.STOPPED:
                    raise Ended(FinalReason.STOPPED, ep.last_failure())
                if not ep.just_looked:
                    look(ep)
                return False
            look(ep)
            ep.scenes.append(ep.current_scene)
        return True

    def _warn(self, steps: Sequence[Step], why: str) -> None:
        """A warning about each object that is moved although the task does not name it."""
        ep = self._ep
        meant = {part.object for goal in ep.goals for part in goal.named(ep.current_scene)}
        meant |= {self._case.handled, *self._warned}
        for step in steps:
            spec = ep.spec_of(step)
            name = spec.moves(step.args) if spec is not None else None
            if name is not None and name not in meant:
                self._warned.add(name)
                meant.add(name)
                ep.record(events.WarningRaised(f'{name} is moved too: {why}'))

    def _learn(self, option: LocalOption, decision: Decision) -> None:
        """Remember an option that failed at once; one that helped, after the step was tried."""
        fix, memory = Fix(option.why, option.changes, option.kind, 'local'), self._ep.ports.memory
        if decision in HELPED:
            self._helped.setdefault(f'{fix.option} {dict(fix.changes)}', fix)
        elif memory is not None:
            memory.learn(self._situation(), fix, False)
            self._ep.record_memory_warnings()

    def _situation(self) -> Situation:
        return build_situation(self._step, self._case.before, self._case.skill, self._case.attempt)
