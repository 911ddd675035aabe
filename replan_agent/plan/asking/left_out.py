"""Goals that a plan leaves out: small models often name two goals and plan for the first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from replan_agent.domain.goal import Goal, Predicate, judge
from replan_agent.domain.plan import PlanProblem, PlanRequest, Step
from replan_agent.domain.skill import Reason, find_spec

MAY_TOUCH_OTHERS = (Predicate.CLEAR, Predicate.HOME)


def left_out(goals: Iterable[Goal], steps: Sequence[Step], request: PlanRequest
             ) -> list[PlanProblem]:
    """The goals that no step can bring about, because none moves anything that they name.

    A plan that ends with `__replan__` is only a beginning.
    """
    if not steps or steps[-1].is_replan:
        return []
    scene = request.scene
    specs = [(find_spec(request.skills, step.skill), step.args) for step in steps]
    moved = {scene.held, *(spec.moves(args) for spec, args in specs if spec is not None)}
    parts = [part for goal in goals if goal.is_for_each or goal.things is None
             for part in goal.named(scene)]
    return [PlanProblem(Reason.BAD_ARGUMENTS, f'the goal {part} is left out: no step moves '
                        f'{part.object}; add the steps for it after the others')
            for part in parts
            if part.object is not None and not part.negated
            and part.predicate not in MAY_TOUCH_OTHERS and judge(part, scene) is not True
            and not moved & {part.object, part.target, part.second} - {None}]
