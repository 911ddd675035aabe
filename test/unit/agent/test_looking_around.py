# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A camera in the hand: the arm moves to look only where any motion would be allowed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from replan_agent.domain.event import WarningRaised
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.plan import PlanReply, ReplyKind
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import SceneObject, Shape
from replan_agent.domain.skill import FELT, Reason, failed, succeeded
from replan_agent.domain.task_result import FinalReason
from replan_agent.domain.things import Things
from replan_agent.english.dictionary import words

from .fakes import (
    HOLDING,
    FakeApprover,
    FakePerception,
    FakePlanner,
    FakeSkills,
    Rig,
    cube,
    scene,
    slipped,
    step,
    steps,
)

PICK_PLAN = steps(step(), goals=[HOLDING])


def rig(*results, **parts) -> Rig:
    perception = parts.pop('perception', None) or FakePerception(scene(), scene(),
                                                                 scene(held='red_cube'))
    return Rig(FakePlanner(PICK_PLAN), FakeSkills(*results), perception,
               ports={'looks_around': True}, **parts)


def executed(made: Rig) -> list[str]:
    return [step.skill for step in made.skills.executed]


def warnings(made: Rig) -> list[str]:
    return [event.message for event in made.recorder.events if isinstance(event, WarningRaised)]


def test_the_arm_looks_around_before_the_first_plan_and_that_is_approved():
    made = rig()
    assert made.run().success and executed(made) == ['look', 'pick']
    assert [plan.calls for plan in made.approver.plans] == [('look()',),
                                                            ("pick({'object': 'red_cube'})",)]
    assert made.planner.requests[0].prior_attempts == ()


def test_without_a_camera_in_the_hand_nothing_moves_to_look():
    made = Rig(FakePlanner(PICK_PLAN))
    assert made.run().success and executed(made) == ['pick'] and made.approver.asked == 1


def test_a_denied_look_moves_nothing_and_says_so():
    made = rig(approver=FakeApprover(approved=False))
    assert made.run().final_reason is FinalReason.APPROVAL_DENIED
    assert executed(made) == [] and len(made.planner.requests) == 1
    assert any(text.endswith('said no') for text in warnings(made))


def test_with_something_in_the_hand_the_arm_does_not_move_to_look():
    made = rig(perception=FakePerception(scene(held='red_cube')))
    made.run()
    assert 'look' not in executed(made)
    assert any('red_cube' in text for text in warnings(made))


def test_a_stop_while_looking_ends_the_task():
    made = rig(failed(Reason.STOPPED, 'the stop button'))
    result = made.run()
    assert result.final_reason is FinalReason.STOPPED and executed(made) == ['look']


def test_a_look_that_fails_does_not_end_the_task():
    made = rig(failed(Reason.IN_COLLISION, 'joint 4 felt 12 N·m'), succeeded())
    assert made.run().success and executed(made) == ['look', 'pick']
    assert any(text.endswith('joint 4 felt 12 N·m') for text in warnings(made))
    assert [attempt.skill for attempt in made.planner.requests[0].prior_attempts] == ['look']


def test_the_arm_looks_around_again_after_a_step_failed():
    made = rig(succeeded(), slipped(), succeeded(), perception=FakePerception(
        *[scene()] * 4, scene(held='red_cube')))
    assert made.run().success and executed(made) == ['look', 'pick', 'look', 'pick']


BIN = SceneObject('bin', Shape.BIN, (0.3, 0.3, 0.1), Pose((0.5, -0.3, 0.05)))
LEFT = SceneObject('red_cube', Shape.BOX, (0.04,) * 3, Pose((0.5, 0.2, 0.02)))
DONE = replace(LEFT, size=(0.04, 0.04, 0.06), pose=Pose((0.5, -0.3, 0.04)))
BEHIND = replace(LEFT, name='blue_cube')
ALL_IN = Goal(Predicate.IN, target='bin', things=Things(words=words('thing')))


def clearing(*later) -> Rig:
    """A plan for all things, and what the looks after its one step show."""
    seen = FakePerception(scene(BIN, LEFT), scene(BIN, DONE), *later)
    plan = steps(step(), goals=[ALL_IN])
    return Rig(FakePlanner(plan, plan), FakeSkills(), seen)


def test_that_nothing_is_left_is_only_said_after_a_look_with_the_arm_out_of_the_way():
    made = clearing()
    result = made.run()
    assert result.success and executed(made) == ['pick', 'home']
    assert ('things lower than 9 mm, or smaller than 18 mm, may not be seen, and what is beyond '
            'the picture or behind bin is not') in result.final_detail


def test_what_the_arm_hid_is_taken_up_again():
    both = scene(BIN, DONE, replace(DONE, name='blue_cube', pose=Pose((0.55, -0.35, 0.03))))
    made = clearing(scene(BIN, DONE, BEHIND), scene(BIN, DONE, BEHIND), both)
    assert made.run().success and executed(made) == ['pick', 'home', 'pick', 'home']
    assert 'in(all thing, bin)' in made.planner.requests[1].prior_attempts[-1].reason_detail


NAMED = steps(step(), goals=[Goal(Predicate.IN, 'red_cube', 'bin')])


def test_that_a_goal_is_unknown_is_only_said_after_a_look_with_the_arm_out_of_the_way():
    for shown, success in ((DONE, True), (BEHIND, False)):
        made = Rig(FakePlanner(NAMED), FakeSkills(), FakePerception(
            scene(BIN, LEFT), scene(BIN, BEHIND), scene(BIN, shown)))
        result = made.run()
        assert result.success is success and executed(made) == ['pick', 'home']
        assert ('could not be judged' in result.final_detail) is not success


def test_a_thing_that_is_lost_in_a_failed_step_is_looked_for_from_another_pose():
    lost = scene(BIN, BEHIND)
    made = Rig(FakePlanner(NAMED, NAMED), FakeSkills(slipped(), succeeded()), FakePerception(
        scene(BIN, LEFT), *[lost] * 4, scene(BIN, LEFT), scene(BIN, DONE)))
    assert made.run().success and executed(made)[:3] == ['pick', 'home', 'pick']


def test_that_things_are_out_of_a_deep_bin_names_what_its_walls_hide():
    deep = replace(BIN, inside_hidden=True)
    plan = steps(step(), goals=[Goal(Predicate.IN, 'red_cube', 'bin', negated=True)])
    result = Rig(FakePlanner(plan), FakeSkills(), FakePerception(
        scene(deep, DONE), scene(deep, LEFT))).run()
    assert result.success
    assert 'the walls of bin hide most of what may be in it' in result.final_detail


def test_a_goal_about_named_things_needs_no_look_for_others():
    made = Rig(FakePlanner(steps(step(), goals=[Goal(Predicate.IN, 'red_cube', 'bin')])),
               FakeSkills(), FakePerception(scene(BIN, LEFT), scene(BIN, DONE)))
    result = made.run()
    assert result.success and executed(made) == ['pick'] and 'lower' not in result.final_detail


def test_that_a_thing_is_on_the_table_already_says_that_a_sheet_below_it_may_not_be_seen():
    table = SceneObject('table', Shape.TABLE, (1.2, 1.2, 0.04), Pose((0.5, 0.0, -0.02)),
                        movable=False)
    done = PlanReply(ReplyKind.DONE, goals=(Goal(Predicate.ON, 'red_cube', 'table'),))
    result = Rig(FakePlanner(done), perception=FakePerception(scene(table, LEFT))).run()
    assert result.final_reason is FinalReason.ALREADY_DONE
    assert result.final_detail.endswith('smaller than 18 mm, may not be seen: it may lie on one')


def test_what_the_pads_feel_and_no_look_shows_is_looked_for_from_another_pose():
    felt = replace(failed(Reason.PRECONDITION_FAILED, 'the hand holds red_cube'),
                   evidence={FELT: 'red_cube'})
    made = Rig(FakePlanner(PICK_PLAN, PICK_PLAN), FakeSkills(felt, succeeded()),
               FakePerception(scene(), scene(), scene(), scene(held='red_cube')))
    assert made.run().success and executed(made)[:2] == ['pick', 'home']


@pytest.mark.parametrize(('confidence', 'second'), [(0.3, 'home'), (0.9, 'pick')])
def test_what_failed_and_is_half_hidden_is_looked_at_past_the_arm_before_the_next_plan(
        confidence, second):
    seen = scene(replace(cube(), confidence=confidence))
    made = Rig(FakePlanner(PICK_PLAN, PICK_PLAN), FakeSkills(
        failed(Reason.PRECONDITION_FAILED, 'no grasp is free'), succeeded()),
        FakePerception(seen, seen, seen, scene(held='red_cube')))
    assert made.run().success and executed(made)[1] == second
