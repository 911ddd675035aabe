# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A door with a latch, as any MuJoCo model has it."""

from __future__ import annotations

import math

import pytest
from replan_agent_contact.joint import JointKind
from replan_agent_robosuite.hung import joints_of, now, with_latch

from replan_agent.robot.mujoco.gl import mujoco

# A door across x whose hinge is at y = 0.3; its lever points to the hinge, its bolt away from it.
DOOR = """<mujoco><compiler angle="radian"/><worldbody><body name="frame" pos="0.5 0 0.3">
<geom type="box" size=".02 .02 .3" pos="0 .32 0"/>
<body name="door"><joint name="hinge" axis="0 0 1" pos="0 .3 0" limited="true" range="0 .5"/>
  <geom type="box" size=".02 .25 .3"/>
  <body name="latch" pos="0 -.2 0"><joint name="latch" axis="1 0 0" limited="true"
      range="-1.5 1.5"/>
    <geom type="cylinder" fromto="-.13 0 0 .06 0 0" size=".02"/>
    <geom type="box" size=".01 .07 .015" pos="-.1 .07 0"/>
    <geom type="box" size=".01 .04 .02" pos=".05 -.04 0"/>
  </body></body></body></worldbody></mujoco>"""


class World:
    def __init__(self):
        self.model = mujoco.MjModel.from_xml_string(DOOR)
        self.data = mujoco.MjData(self.model)
        mujoco.mj_kinematics(self.model, self.data)

    def in_base(self, T):
        return T


@pytest.fixture
def world():
    return World()


def test_a_door_has_the_lever_of_its_latch_as_its_handle(world):
    hinge, latch = joints_of(world.model, world.model.body('frame').id)
    hung = with_latch(world, hinge, latch, 'door', 'frame')
    door, lever, handle = now(world, hung)
    assert (door.name, door.latch, door.handle, door.part_of) == (
        'door', lever.name, handle.name, 'frame')
    assert door.size == pytest.approx((0.04, 0.5, 0.6)) and door.states.now == 'closed'
    assert door.joint.words == ('open', 'closed') and lever.joint.words == ()
    assert lever.part_of == 'door' and lever.handle == handle.name
    assert lever.joint.kind is JointKind.HINGE and lever.joint.high == pytest.approx(1.5)
    assert handle.position == pytest.approx((0.4, -0.13, 0.3))  # not the bolt, nor the shaft
    assert handle.size == pytest.approx((0.03, 0.03, 0.14))
    assert set(door.states.along) == {lever.name, handle.name}


def test_the_lever_goes_with_the_door_and_turns_on_it(world):
    hinge, latch = joints_of(world.model, world.model.body('frame').id)
    hung = with_latch(world, hinge, latch, 'door', 'frame')
    world.data.joint('hinge').qpos[0], world.data.joint('latch').qpos[0] = 0.5, math.pi / 2
    mujoco.mj_kinematics(world.model, world.data)
    door, lever, handle = now(world, hung)
    assert door.states.now == 'open' and lever.joint.state == pytest.approx(math.pi / 2)
    assert abs(handle.pose.rotation[2, 2]) == pytest.approx(1.0)  # its bar stands on end
    assert lever.joint.axis == pytest.approx((math.cos(0.5), math.sin(0.5), 0))
