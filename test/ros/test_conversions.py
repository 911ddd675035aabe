"""Domain values survive the trip to a message, over the wire format, and back."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import domain_strategies as s
import pytest
from builtin_interfaces.msg import Time
from hypothesis import given, settings
from hypothesis import strategies as st
from replan_agent_interfaces.msg import SkillSpec as SkillSpecMsg
from wire import over_the_wire

from replan_agent.domain.failure import Attempt
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.domain.skill import SkillSpec, succeeded
from replan_agent.ros.messages import scene_messages as c
from replan_agent.ros.messages.message_fields import (
    MessageError,
    map_from_msg,
    map_to_msg,
    pose_from_msg,
    pose_to_msg,
    time_from_msg,
    time_to_msg,
)

BOTH_WAYS = {
    'object': (s.scene_object, c.object_to_msg, c.object_from_msg),
    'arm': (s.arm, c.arm_to_msg, c.arm_from_msg),
    'scene': (s.scene, c.scene_to_msg, c.scene_from_msg),
    'goal': (s.goal, c.goal_to_msg, c.goal_from_msg),
    'completed step': (s.completed_step, c.completed_to_msg, c.completed_from_msg),
    'step': (s.step, c.step_to_msg, c.step_from_msg),
    'plan': (s.plan, c.plan_to_msg, c.plan_from_msg),
    'ik report': (s.ik, c.ik_to_msg, c.ik_from_msg),
    'diagnosis': (s.diagnosis, c.diagnosis_to_msg, c.diagnosis_from_msg),
    'attempt': (s.attempt, c.attempt_to_msg, c.attempt_from_msg),
    'skill spec': (s.spec, c.spec_to_msg, c.spec_from_msg),
    'skill result': (s.result, c.result_to_msg, c.result_from_msg),
    'step record': (s.record, c.record_to_msg, c.record_from_msg),
}


@pytest.mark.parametrize('what', BOTH_WAYS)
def test_a_value_comes_back_as_it_went(what: str) -> None:
    strategy, to_msg, from_msg = BOTH_WAYS[what]

    @settings(max_examples=40)
    @given(strategy)
    def check(value: Any) -> None:
        assert from_msg(over_the_wire(to_msg(value))) == value

    check()


@given(st.integers(-2**31, 2**31 - 1), st.integers(0, 999_999_999))
@settings(max_examples=60)
def test_a_time_is_kept_as_well_as_a_float_can(sec: int, nanosec: int) -> None:
    seconds = time_from_msg(Time(sec=sec, nanosec=nanosec))
    assert seconds == pytest.approx(sec + nanosec / 1e9, abs=1e-9)
    if seconds < 2**31:
        assert time_from_msg(time_to_msg(seconds)) == seconds


@pytest.mark.parametrize('seconds', [math.nan, math.inf, 2.0**31, -(2.0**31) - 1])
def test_a_time_that_no_message_holds_is_refused(seconds: float) -> None:
    with pytest.raises(MessageError, match='time'):
        time_to_msg(seconds)


def test_the_real_part_of_a_quaternion_is_w() -> None:
    msg = pose_to_msg(Pose((1.0, 2.0, 3.0), (0.5, 0.1, 0.7, 0.5)))
    assert (msg.orientation.w, msg.orientation.x) == (0.5, 0.1)
    assert (msg.position.x, msg.position.z) == (1.0, 3.0)


@pytest.mark.parametrize('broken', [
    Pose((math.nan, 0, 0)), Pose((0, 0, math.inf)), Pose((0, 0, 0), (0, 0, 0, 0)),
    Pose((0, 0, 0), (2, 0, 0, 0)),
])
def test_an_invalid_pose_is_refused(broken: Pose) -> None:
    with pytest.raises(MessageError, match='gripper: '):
        pose_from_msg(pose_to_msg(broken), 'gripper')


def test_numpy_numbers_and_tuples_become_plain_json() -> None:
    np = pytest.importorskip('numpy')
    values = {'width': np.float64(0.04), 'at': (1, 2), 'table': np.eye(2)}
    assert map_from_msg(map_to_msg(values), 'x') == {
        'width': 0.04, 'at': [1, 2], 'table': [[1.0, 0.0], [0.0, 1.0]]}


@pytest.mark.parametrize('value', [math.nan, math.inf])
def test_a_value_that_json_cannot_hold_is_refused(value: Any) -> None:
    with pytest.raises(MessageError, match='JSON'):
        map_to_msg({'x': value})


def test_an_object_that_json_cannot_hold_goes_as_its_repr() -> None:
    assert json.loads(map_to_msg({'seen': {1, 2}})) == {'seen': '{1, 2}'}


@pytest.mark.parametrize(('text', 'complaint'), [
    ('{', 'not valid JSON'), ('[1]', 'must be a JSON object, not list'),
    ('{"x": NaN}', "'NaN' is not a finite number"), ('"x"', 'not str'),
])
def test_broken_json_is_refused_with_the_name_of_its_field(text: str, complaint: str) -> None:
    with pytest.raises(MessageError, match=f'args: .*{complaint}'):
        map_from_msg(text, 'args')


def test_no_arguments_may_be_an_empty_string() -> None:
    assert map_from_msg('', 'args') == {}


def _edited(msg: Any, **changes: Any) -> Any:
    for name, value in changes.items():
        setattr(msg, name, value)
    return msg


CUBE = SceneObject('cube', Shape.BOX, (0.04, 0.04, 0.04), Pose((0.5, 0.0, 0.02)))
SPEC = SkillSpec('grab', 'Take something.', {})
SCENE = Scene('s1', 1.0, (CUBE,), 'ground_truth')


@pytest.mark.parametrize(('convert', 'msg', 'complaint'), [
    (c.object_from_msg, _edited(c.object_to_msg(CUBE), shape='blob'),
     "object 'cube': shape: 'blob' is not one of: box, cylinder"),
    (c.object_from_msg, _edited(c.object_to_msg(CUBE), name=''), 'name must not be empty'),
    (c.object_from_msg, _edited(c.object_to_msg(CUBE), shape='irregular'),
     "object 'cube': pieces: an irregular object has some"),
    (c.object_from_msg, c.object_to_msg(replace(CUBE, size=(0.1, -0.1, 0.1))), 'size: .*lengths'),
    (c.scene_from_msg, c.scene_to_msg(replace(SCENE, objects=(CUBE, CUBE))),
     "more than one object is called 'cube'"),
    (c.attempt_from_msg, _edited(c.attempt_to_msg(Attempt(0, 'pick', {}, 'x', 'y')), stage=''),
     "stage: '' is not one of: plan, execute, goal"),
    (c.result_from_msg, _edited(c.result_to_msg(succeeded()), success=False),
     'a failure needs a reason'),
    (c.result_from_msg, _edited(c.result_to_msg(succeeded()), success=False, reason='bad luck',
                                reason_detail='it fell'),
     "reason: 'bad luck' is not one of: object_not_found"),
    (c.result_from_msg, _edited(c.result_to_msg(succeeded()), reason='timeout'),
     'a success has no reason, and this one has timeout'),
    (c.spec_from_msg, _edited(c.spec_to_msg(SPEC), effect='juggle'),
     "skill 'grab': effect: 'juggle' is not one of: take, put_on"),
    (c.spec_from_msg, _edited(c.spec_to_msg(SPEC), effect='take'),
     'effect_roles_json: an effect take must say which argument is its object'),
    (c.spec_from_msg, _edited(c.spec_to_msg(SPEC), effect_roles_json='{"colour": "x"}'),
     "effect_roles_json: .*'colour'"),
    (c.spec_from_msg, _edited(c.spec_to_msg(SPEC), effect_roles_json='{"object": 5}'),
     'effect_roles_json: arguments must be text'),
    (c.spec_from_msg, _edited(c.spec_to_msg(SPEC), must_be_json='{"object": "nice"}'),
     "must_be_json: 'nice' is not one of: movable"),
    (c.spec_from_msg, _edited(c.spec_to_msg(SPEC), adjustments_json='{"slipped": [5]}'),
     'adjustments_json: must be lists of JSON objects'),
])
def test_a_malformed_message_is_refused_with_what_is_allowed(
    convert: Callable[[Any], Any], msg: Any, complaint: str
) -> None:
    with pytest.raises(MessageError, match=complaint):
        convert(msg)


def test_a_skill_whose_sender_says_nothing_about_motion_moves_the_arm() -> None:
    msg = SkillSpecMsg(name='wave', effect='unknown')
    assert c.spec_from_msg(msg).moves_arm
