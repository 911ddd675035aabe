# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A skill that makes its own context cannot outlive its call on the arm."""

from __future__ import annotations

import pytest

from replan_agent.domain.context import Cancelled, CancelToken, Context, DeadlineExceeded
from replan_agent.domain.plan import Step
from replan_agent.domain.skill import SkillSpec, succeeded
from replan_agent.execute.contract import Skill
from replan_agent.execute.wrapped_robot import ObedientRobot

from .fakes import Bench, scene


class Stubborn(Skill):
    """Opens and closes the hand with a context of its own."""

    spec = SkillSpec('wiggle', '', {'type': 'object', 'properties': {}})

    def __init__(self, between) -> None:
        self.between = between

    def run(self, call):
        call.kit.robot.move_gripper(0.02, Context())
        self.between()
        call.kit.robot.move_gripper(0.08, Context())
        return succeeded()

    def verify(self, call):
        return succeeded()


def wiggled(ctx: Context, between, end: type[Exception]) -> Bench:
    bench = Bench()
    bench.executor._registry.add(Stubborn(between))
    with pytest.raises(end):
        bench.executor.execute(Step(1, 'wiggle'), scene(), ctx, bench.phases.append)
    return bench


def test_after_a_cancel_no_command_starts():
    token = CancelToken()
    bench = wiggled(Context(token), token.cancel, Cancelled)
    assert bench.robot.log == ['move_gripper'] and bench.robot.width == 0.02


def test_after_the_deadline_no_command_starts():
    now = [0.0]
    bench = wiggled(Context(deadline=1.0, now=lambda: now[0]),
                    lambda: now.append(now.pop() + 2), DeadlineExceeded)
    assert bench.robot.log == ['move_gripper']


def test_a_command_gets_the_earlier_of_the_two_deadlines():
    bench, seen = Bench(), []
    bench.robot.grasp = lambda force, ctx: seen.append(ctx.deadline)  # type: ignore
    call = Context(deadline=10.0, now=lambda: 0.0)
    for own in (5.0, 20.0):
        ObedientRobot(bench.robot, call).grasp(40, Context(deadline=own, now=lambda: 0.0))
    assert seen == [5.0, 10.0]


@pytest.mark.parametrize('whose', ['call', 'skill'])
def test_a_command_that_runs_obeys_the_cancel_of_the_call_and_of_the_skill(whose):
    bench, tokens = Bench(), {'call': CancelToken(), 'skill': CancelToken()}

    def grasp(force, ctx) -> None:
        assert not ctx.cancel.wait(0.0)
        ctx.check()
        tokens[whose].cancel('enough')
        assert ctx.cancel.wait(60.0)
        ctx.check()

    bench.robot.grasp = grasp  # type: ignore
    robot = ObedientRobot(bench.robot, Context(tokens['call']))
    with pytest.raises(Cancelled, match='enough'):
        robot.grasp(40, Context(tokens['skill']))
