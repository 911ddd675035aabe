# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What is on or off is switched by the knob that it has."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from replan_agent_contact.handle import across_knob
from replan_agent_contact.joint import Joint, Jointed, JointKind
from replan_agent_contact.switching import SwitchOff, SwitchOn

from replan_agent import Call, Cause, Context, Pose, Reason, Scene, SceneObject
from replan_agent.arms.known_arms import arm_named
from replan_agent.domain.scene import Shape, States

AT = Pose((0.5, 0.0, 0.05))
JOINT = Joint(JointKind.HINGE, (0.0, 0.0, 1.0), (0.5, 0.0, 0.04), 0.0, math.radians(120), 0.0)
KNOB = Jointed('dial', Shape.BOX, (0.06, 0.02, 0.02), AT, movable=False, handle='',
               joint=replace(JOINT, words=()), states=States('', (), (), degrees=0.0))


def call(state=0.0, name='lamp'):
    """A call in a scene with a lamp, and a box that has no knob."""
    lamp = SceneObject('lamp', Shape.BOX, (0.2, 0.2, 0.04), Pose((0.5, 0.0, 0.02)), movable=False,
                       states=States('off', ('on', 'off'), (AT, AT), '', ('dial',)))
    box = SceneObject('box', Shape.BOX, (0.05, 0.05, 0.05), Pose((0.3, 0.2, 0.025)))
    knob = replace(KNOB, joint=replace(KNOB.joint, state=math.radians(state)))
    scene = Scene('base', 0.0, (lamp, box, knob), 'ground_truth')
    return Call({'object': name}, scene, None, Context(), print)


@pytest.mark.parametrize(('skill', 'state', 'already'), [
    (SwitchOn(), 0, False), (SwitchOn(), 120, True), (SwitchOff(), 0, True),
    (SwitchOff(), 120, False)])
def test_a_thing_is_switched_unless_its_knob_is_there(skill, state, already):
    found = skill.check(call(state))
    assert (found is not None) is already
    assert not already or found.cause is Cause.ALREADY_SO


def test_what_has_no_knob_is_not_switched():
    found = SwitchOn().check(call(name='box'))
    assert found.reason is Reason.BAD_ARGUMENTS and 'box has no knob' in found.reason_detail


def test_a_knob_is_held_on_its_axis_where_more_of_it_is_on_one_side():
    aside = replace(KNOB, pose=AT.moved(0.01, 0.0, 0.0))
    held = [tcp for tcp, _ in across_knob(aside, JOINT, arm_named('panda').hand)]
    assert held and all(tcp.position[:2] == pytest.approx((0.5, 0.0)) for tcp in held)
    assert all(np.allclose(tcp.rotation[:, 2], (0, 0, -1)) for tcp in held)
