# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The loop with a plan for what is seen: it looks again, and the whole sentence is judged."""

from __future__ import annotations

from dataclasses import replace

import pytest

from replan_agent.app.build.build_reader import build_reader
from replan_agent.app.build.own_planner import own_planner
from replan_agent.domain.approval_request import ApprovalRequest
from replan_agent.domain.plan import Plan, PlanCause, Step
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.domain.skill import SkillResult, succeeded
from replan_agent.domain.task_result import FinalReason
from replan_agent.plan.search.search_planner import SearchPlanner

from .fakes import FakeApprover, FakePerception, FakeSkills, Rig, scene

TASK = 'put the milk and the bread into their bins'
TABLE = SceneObject('table', Shape.TABLE, (1.2, 1.2, 0.04), Pose((0.4, 0.0, -0.02)),
                    movable=False)
BINS = tuple(SceneObject(f'{name}_bin', Shape.BIN, (0.15, 0.15, 0.08), Pose((0.4, y, 0.04)),
                         movable=False) for name, y in (('milk', 0.3), ('bread', -0.3)))


class Counter(FakeSkills, FakePerception):
    """Milk, and bread behind it: the bread is seen once the milk is gone, if it is `there`."""

    def __init__(self, there: bool = True) -> None:
        FakeSkills.__init__(self)
        FakePerception.__init__(self)
        self.there, self.held = there, None
        self.at = {'milk': (0.5, 0.0), 'bread': (0.55, 0.0)}

    def observe(self, ctx) -> Scene:
        self.calls += 1
        seen = [n for n in self.at if n == 'milk' or (self.there and self.at['milk'][1] > 0.1)]
        things = [SceneObject(n, Shape.BOX, (0.04, 0.04, 0.04), Pose((*self.at[n], 0.025)))
                  for n in seen]
        return scene(TABLE, *BINS, *things, held=self.held, n=self.calls)

    def execute(self, step: Step, scene, ctx, on_phase) -> SkillResult:
        self.executed.append(step)
        if step.skill == 'pick':
            self.held = step.args['object']
        else:
            target = next(b for b in BINS if b.name == step.args['target'])
            self.at[self.held], self.held = target.position[:2], None
        return succeeded()


class Reading(FakeApprover):
    """Keeps what a person would read beside the steps."""

    def __init__(self) -> None:
        super().__init__()
        self.read: list[tuple[str, ...]] = []

    def approve(self, request: ApprovalRequest, ctx):
        self.read.append(request.remarks)
        return super().approve(request, ctx)


def run(there: bool):
    counter, approver = Counter(there), Reading()
    rig = Rig(SearchPlanner(build_reader(), ignores_attempts=True), counter, counter, approver)  # type: ignore
    return rig.run(TASK), counter, approver


def test_what_comes_into_sight_is_done_after_the_rest_and_the_whole_task_is_judged():
    result, counter, _ = run(there=True)
    assert result.success and result.goal_verified, result.final_detail
    assert [step.args for step in counter.executed] == [
        {'object': 'milk'}, {'target': 'milk_bin'}, {'object': 'bread'}, {'target': 'bread_bin'}]
    assert {goal.object for goal in result.goals} == {'milk', 'bread'}


def test_a_thing_that_never_comes_into_sight_is_the_reason_of_the_failure():
    result, counter, _ = run(there=False)
    assert not result.success and result.final_reason is FinalReason.REPLAN_EXHAUSTED
    assert 'object_not_found' in result.final_detail
    assert 'bread' in result.why
    assert len(counter.executed) == 2  # the milk is in its bin all the same


def test_a_person_reads_that_the_plan_is_a_part_and_what_is_not_seen():
    _, _, approver = run(there=True)
    first, second = approver.read
    assert any('bread' in line for line in first)
    assert second == ()


@pytest.mark.parametrize('wrapped', [
    lambda planner: planner, lambda planner: own_planner(planner, build_reader())])
def test_without_the_look_at_its_end_a_part_is_no_success(wrapped):
    """A person may take the last step out of the plan."""
    class Cut(SearchPlanner):
        def plan(self, request, ctx):
            reply = super().plan(request, ctx)
            kept = tuple(step for step in reply.steps if not step.is_replan)
            return replace(reply, steps=kept)

    counter = Counter(there=False)
    rig = Rig(wrapped(Cut(build_reader(), ignores_attempts=True)), counter, counter)  # type: ignore
    result = rig.run(TASK)
    assert not result.success and result.goal_verified is not True


def test_a_part_whose_result_does_not_last_is_not_done_again_and_again():
    class Slippery(Counter):
        def execute(self, step, scene, ctx, on_phase):
            result = super().execute(step, scene, ctx, on_phase)
            self.at['milk'] = (0.5, 0.0)
            return result

    counter, approver = Slippery(there=False), Reading()
    result = Rig(SearchPlanner(build_reader()), counter, counter, approver).run(TASK)  # type: ignore
    assert not result.success and len(approver.read) == 1
    assert 'in(milk, milk_bin)' in result.final_detail and 'bread' in result.final_detail


def test_a_person_reads_a_model_s_words_about_a_part_on_one_line():
    steps = (Step(1, 'home'), Step(2, '__replan__', {}, 'look\n\x1b[2Jfor\nthe bread'))
    plan = Plan(1, TASK, steps, (), PlanCause.INITIAL, None, 's', 'vlm')
    (line,) = ApprovalRequest(plan, scene(TABLE)).remarks
    assert '\n' not in line and '\x1b' not in line and 'the bread' in line
