# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whether the arm gets to a far place is decided before the thing is taken."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hand_scenes import cube, scene, thing

from replan_agent.app.reach_rehearsal import ReachRehearsal
from replan_agent.domain.context import Context
from replan_agent.domain.plan import Plan, PlanCause, Step
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, Shape
from replan_agent.domain.skill import Reason, SkillResult, failed, succeeded
from replan_agent.execute.skills.standard import standard_skills

FAR, NEAR = {'x': 0.9, 'y': 0.1}, {'x': 0.5, 'y': 0.1}
NOW = scene(cube('red_cube', 0.46, 0.10), cube('far_cube', 0.80, 0.2),
            thing('drum', 0.5, -0.2, Shape.CYLINDER, (0.2, 0.2, 0.1)))
LEANING = Pose.from_rpy(0.46, 0.10, 0.02, 2.4)
PROVED = failed(Reason.UNREACHABLE, 'too far', proved_impossible=True)


class Foresight:
    """Gives one answer after the other for places, and keeps what it was asked.

    A thing is taken with a lean alone, if at all.
    """

    def __init__(self, *answers: SkillResult, leans: bool = False) -> None:
        self.answers, self.asked = list(answers), list[tuple[Step, Scene]]()
        self.leans = leans

    def specs(self):
        return standard_skills().specs()

    def foresee(self, step: Step, now: Scene, ctx: Context) -> SkillResult:
        if step.skill == 'pick':
            found = self.leans and step.args.get('grasp') == 'tilted'
            return succeeded(tcp=[*LEANING.position, *LEANING.quaternion], width=0.04) if (
                found) else failed(Reason.IN_COLLISION, 'no')
        self.asked.append((step, now))
        return self.answers.pop(0)


def plan(at: dict[str, float], thing: str = 'red_cube') -> Plan:
    steps = [Step(1, 'pick', {'object': thing})] if thing else []
    return Plan(1, 'move it', (*steps, Step(2, 'place_at', at)), (), PlanCause.INITIAL, None,
                'scene', 'search')


def test_a_place_that_is_proved_out_of_reach_fails_whichever_sides_are_taken() -> None:
    foresight = Foresight(PROVED, PROVED)
    outcome = ReachRehearsal(foresight).rehearse(plan(FAR), NOW, Context())
    assert not outcome.ok and outcome.failed_step == plan(FAR).steps[1]
    assert outcome.result == PROVED
    one, other = (now for _, now in foresight.asked)
    assert one.held == other.held == 'red_cube' and one.arm != other.arm


@pytest.mark.parametrize('other', [succeeded(), failed(Reason.UNREACHABLE, 'not found')])
def test_what_is_not_proved_for_both_may_be_tried(other: SkillResult) -> None:
    assert ReachRehearsal(Foresight(PROVED, other)).rehearse(plan(FAR), NOW, Context()).ok


@pytest.mark.parametrize('leaning', [succeeded(), PROVED])
def test_where_a_hand_from_above_does_not_get_one_that_leans_may(leaning: SkillResult) -> None:
    foresight = Foresight(PROVED, PROVED, leaning, leans=True)
    assert ReachRehearsal(foresight).rehearse(
        plan(FAR), NOW, Context()).ok is leaning.success
    step, now = foresight.asked[-1]
    assert step == plan(FAR).steps[1] and now.arm is not None and now.arm.tcp == LEANING


@pytest.mark.parametrize(('at', 'thing'), [
    (NEAR, 'red_cube'), (FAR, 'far_cube'), (FAR, 'drum'), (FAR, '')],
    ids=['near', 'from afar', 'wide', 'held'])
def test_nothing_is_foreseen_where_the_hand_works_well_or_the_grasp_is_not_known(
        at: dict[str, float], thing: str) -> None:
    assert not ReachRehearsal(Foresight()).is_due(plan(at, thing), NOW)


@pytest.mark.parametrize('own', [{'grasp': 'side'}, {'turn': 90}])
def test_a_grasp_that_the_plan_chooses_may_get_farther(own: dict[str, object]) -> None:
    pick, place = plan(FAR).steps
    chosen = replace(plan(FAR), steps=(replace(pick, args={**pick.args, **own}), place))
    assert not ReachRehearsal(Foresight()).is_due(chosen, NOW)
