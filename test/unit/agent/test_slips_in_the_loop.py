# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A slip in the loop, with real diagnosis and reflection: the next try is changed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from replan_agent.domain.approval_request import Approval
from replan_agent.domain.config import AgentConfig
from replan_agent.domain.plan import PlanProblem
from replan_agent.domain.port_errors import PerceptionError
from replan_agent.domain.skill import FailedStage, Reason, failed, succeeded
from replan_agent.domain.task_result import FinalReason
from replan_agent.replan.reflect.reflection import RuleReflector

from .fakes import HOLDING, FakePerception, FakePlanner, FakeSkills, Rig, cube, scene, step, steps

SLIPPED = failed(Reason.GRASP_SLIPPED, 'it slipped', FailedStage.POSTCONDITION,
                 closed_width=0.04, gripper_width=0.0)


class Slippery(FakeSkills):
    """A cube that only a firm grip holds."""

    def __init__(self, needs_n: float) -> None:
        super().__init__()
        self.needs_n = needs_n

    def execute(self, step, scene, ctx, on_phase):
        self.executed.append(step)
        if step.args.get('force', 40) >= self.needs_n:
            return succeeded('held')
        return SLIPPED


class Hands(FakePerception):
    """The cube is seen in the hand once it is held."""

    def __init__(self, skills: Slippery, x: float) -> None:
        super().__init__()
        self._skills, self._x = skills, x

    def observe(self, ctx):
        done = self._skills.executed and self._skills.executed[-1].args.get('force', 40) >= (
            self._skills.needs_n)
        return scene(cube(self._x), held='red_cube' if done else None)


def run(memory=None, x: float = 0.5, needs_n: float = 60, **settings) -> tuple[Rig, Slippery]:
    skills = Slippery(needs_n)
    ports = {'reflector': RuleReflector(), 'memory': memory}
    rig = Rig(FakePlanner(steps(step(), goals=[HOLDING])), skills, Hands(skills, x),
              config=AgentConfig(**settings), ports=ports)
    assert rig.run().success
    return rig, skills


def test_the_first_slip_is_answered_with_a_firmer_grip():
    rig, skills = run(None)
    assert [s.args.get('force') for s in skills.executed] == [None, 60]
    assert 'step_adapted' in rig.kinds()


@pytest.mark.parametrize(('seen_at', 'felt', 'forgets'), [
    (0.0, {'gripper_width': 0.0}, True), (9.0, {'gripper_width': 0.0}, False), (0.0, {}, False)])
def test_what_was_only_believed_is_so_no_longer_once_the_fingers_closed_without_it(
        seen_at, felt, forgets):
    old = replace(cube(), seen_at=seen_at)
    believed = replace(scene(old, replace(cube(0.3, name='blue_cube'), seen_at=9.0)), stamp=9.0)
    perception = FakePerception(believed, scene(cube(name='blue_cube')))
    perception.forget = (forgotten := []).append
    missed = failed(Reason.GRASP_MISSED, 'closed', FailedStage.EXECUTION, **felt)
    Rig(FakePlanner(steps(step(), goals=[HOLDING])), FakeSkills(missed), perception).run()
    assert set(forgotten) == ({'red_cube'} if forgets else set())


def test_a_failure_is_diagnosed_without_a_later_look_too():
    class Blind(Hands):
        def observe(self, ctx):
            if self._skills.executed and self.calls < 2:
                self.calls += 1
                raise PerceptionError('dark')
            return super().observe(ctx)

    skills = Slippery(60)
    rig = Rig(FakePlanner(steps(step(), goals=[HOLDING])), skills, Blind(skills, 0.5),
              ports={'reflector': RuleReflector()})
    result = rig.run()
    assert result.attempts[0].diagnosis.cause == 'slipped_in_lift'


def test_a_new_plan_that_asks_for_the_same_again_goes_on_with_the_next_change():
    rig, skills = run(None, needs_n=70, max_step_retries=1)
    assert [s.args.get('force') for s in skills.executed] == [None, 60, 70]
    assert len(rig.planner.requests) == 2


def test_a_change_that_the_planner_itself_makes_is_left_as_it_is():
    skills = Slippery(65)
    changed = steps(step('pick', 1, object='red_cube', force=65), goals=[HOLDING])
    rig = Rig(FakePlanner(steps(step(), goals=[HOLDING]), changed), skills, Hands(skills, 0.5),
              config=AgentConfig(max_step_retries=0), ports={'reflector': RuleReflector()})
    assert rig.run().success
    assert [s.args.get('force') for s in skills.executed] == [None, 65]


class OnlyThePlan:
    """A person who approves the planner's plans and denies the agent's own plans."""

    def approve(self, request, ctx):
        return Approval(request.plan.planner == 'fake', 'someone', 'only as planned')

    def report_outcome(self, success):
        pass


def test_a_changed_step_is_an_adaptation_of_its_plan_and_needs_approval(tmp_path):
    rig, _ = run(None)
    assert rig.approver.asked == 2
    skills = Slippery(60)
    rig = Rig(FakePlanner(steps(step(), goals=[HOLDING])), skills, Hands(skills, 0.5),
              approver=OnlyThePlan(), config=AgentConfig(max_step_retries=1, max_replans=0),
              ports={'reflector': RuleReflector()})
    result = rig.run()
    assert [dict(s.args) for s in skills.executed] == [{'object': 'red_cube'}]
    [plan] = result.plans
    assert [s.args.get('force') for own in plan.adaptations for s in own.steps] == [60]
    assert result.final_reason is FinalReason.APPROVAL_DENIED


def test_a_changed_step_that_the_check_refuses_is_not_tried():
    skills = Slippery(60)

    def check(plan, scene, specs):
        adapted = any('force' in s.args for s in plan.steps)
        return [PlanProblem(Reason.BAD_ARGUMENTS, 'too firm')] if adapted else []

    rig = Rig(FakePlanner(steps(step(), goals=[HOLDING])), skills, Hands(skills, 0.5), check=check,
              config=AgentConfig(max_step_retries=1, max_replans=0),
              ports={'reflector': RuleReflector()})
    rig.run()
    assert [dict(s.args) for s in skills.executed] == [{'object': 'red_cube'}] * 2


def test_what_helped_one_object_is_not_tried_on_another_that_the_next_plan_names():
    odd = failed(Reason.VERIFICATION_FAILED, 'not there', FailedStage.POSTCONDITION)
    blue = steps(step('pick', 1, object='blue_cube'))
    rig = Rig(FakePlanner(blue, steps(step()), blue), FakeSkills(odd, SLIPPED, succeeded()),
              FakePerception(scene(cube(), cube(0.4, 'blue_cube'))),
              config=AgentConfig(max_step_retries=0), ports={'reflector': RuleReflector()})
    rig.run()
    assert dict(rig.skills.executed[2].args) == {'object': 'blue_cube'}
