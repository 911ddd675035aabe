"""A camera in the hand: the arm moves to look only where any motion would be allowed."""

from __future__ import annotations

from replan_agent.domain.event import WarningRaised
from replan_agent.domain.skill import Reason, failed, succeeded
from replan_agent.domain.task_result import FinalReason

from .fakes import (
    HOLDING,
    FakeApprover,
    FakePerception,
    FakePlanner,
    FakeSkills,
    Rig,
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
