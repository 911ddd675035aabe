# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What hangs on joints of any MuJoCo model, as things with states."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from replan_agent_contact.joint import JointKind
from replan_agent_libero.truth import Truth

from replan_agent import Pose
from replan_agent.domain.scene import Shape
from replan_agent.robot.mujoco.gl import mujoco

# A drawer that opens along -y, with a bar on two posts; a knob; a cube.
KITCHEN = """<mujoco><compiler angle="radian"/><worldbody>
<body name="robot0_base" pos="-0.6 0 0"><geom type="box" size=".1 .1 .1"/></body>
<body name="table" pos="0 0 -.02"><geom type="box" size=".8 .8 .02"/></body>
<body name="cube_1" pos="0.1 0 0.02"><freejoint/><geom type="box" size=".02 .02 .02"/></body>
<body name="cabinet_1" pos="0.3 0.3 0.1">
  <geom type="box" size=".12 .1 .002" pos="0 0 .08"/>
  <geom type="box" size=".12 .1 .002" pos="0 0 -.08"/>
  <body name="inner"><joint name="cabinet_1_top_level" type="slide" axis="0 1 0" limited="true"
      range="-.16 .01"/>
    <site name="cabinet_1_top_region"/>
    <geom type="box" size=".1 .003 .03" pos="0 -.1 0"/>
    <geom type="box" size=".1 .003 .03" pos="0 .09 0"/>
    <geom type="box" size=".1 .09 .003" pos="0 0 -.03"/>
    <geom type="box" size=".05 .008 .008" pos="0 -.13 0"/>
    <geom type="box" size=".005 .012 .005" pos=".04 -.115 0"/>
  </body></body>
<body name="stove_1" pos="-.2 -.3 0.02"><geom type="box" size=".1 .1 .02"/>
  <body name="dial" pos="0 0 .02"><joint name="stove_1_button" type="hinge" axis="0 0 1"
      limited="true" range="-.005 2.1"/>
    <geom type="cylinder" size=".04 .005" pos="0 0 .005"/>
    <geom type="box" size=".03 .01 .015" pos=".01 0 .015"/>
  </body></body>
</worldbody></mujoco>"""


class Kitchen:
    def __init__(self):
        self.model = mujoco.MjModel.from_xml_string(KITCHEN)
        self.data = mujoco.MjData(self.model)
        kinds = {'cube_1': 'cube', 'cabinet_1': 'wooden_cabinet', 'stove_1': 'flat_stove'}
        its = {name: SimpleNamespace(category_name=kind) for name, kind in kinds.items()}
        self.env = SimpleNamespace(
            objects_dict={'cube_1': its.pop('cube_1')}, fixtures_dict=its,
            obj_body_id={name: self.model.body(name).id for name in kinds})

    def in_base(self, T):
        return np.linalg.inv(Pose((-0.6, 0.0, 0.0)).matrix()) @ T

    def set(self, joint, to):
        self.data.joint(joint).qpos[0] = to


@pytest.fixture
def kitchen():
    return Kitchen()


def things_of(world):
    return {o.name: o for o in Truth(world).objects()}


def test_furniture_is_seen_with_its_parts_and_their_handles(kitchen):
    assert list(things_of(kitchen)) == [
        'table', 'cube', 'wooden_cabinet', 'stove', 'wooden_cabinet_top_drawer', 'handle_1',
        'stove_knob']


def test_a_drawer_is_a_container_without_its_handle(kitchen):
    things = things_of(kitchen)
    drawer, handle = things['wooden_cabinet_top_drawer'], things['handle_1']
    assert drawer.shape is Shape.BIN and not drawer.movable
    assert drawer.size == pytest.approx((0.2, 0.196, 0.063), abs=1e-3)
    assert drawer.states.access == 'open' and drawer.states.along == ('handle_1',)
    assert drawer.part_of == 'wooden_cabinet'
    assert handle.size == pytest.approx((0.016, 0.016, 0.1))
    assert handle.position == pytest.approx((0.9, 0.17, 0.1))
    assert abs(handle.pose.rotation[:, 2]) == pytest.approx((1, 0, 0))


@pytest.mark.parametrize(('to', 'state', 'is_so'), [
    (0.01, 0.0, 'closed'), (0.0, 0.01, ''), (-0.16, 0.17, 'open'), (-0.08, 0.09, '')])
def test_closed_is_the_end_of_its_way_near_to_where_the_model_starts(kitchen, to, state, is_so):
    truth = Truth(kitchen)
    kitchen.set('cabinet_1_top_level', to)
    drawer = next(o for o in truth.objects() if o.name.endswith('drawer'))
    joint = drawer.joint
    assert joint.state - joint.low == pytest.approx(state) and drawer.states.now == is_so
    assert joint.kind is JointKind.SLIDE and joint.axis == pytest.approx((0, -1, 0))
    opened, closed = drawer.states.poses
    assert closed.position[1] - opened.position[1] == pytest.approx(0.17)
    assert drawer.position[1] == pytest.approx(closed.position[1] - state)


def test_a_part_that_starts_open_is_found_as_well(kitchen):
    kitchen.set('cabinet_1_top_level', -0.16)
    drawer = things_of(kitchen)['wooden_cabinet_top_drawer']
    assert drawer.states.now == 'open' and drawer.size[1] == pytest.approx(0.196, abs=1e-3)


def test_a_knob_is_what_stands_up_on_it_and_turns_in_place(kitchen):
    knob = things_of(kitchen)['stove_knob']
    assert knob.size == pytest.approx((0.06, 0.02, 0.02))  # above the disc
    assert knob.position == pytest.approx((0.41, -0.3, 0.06))
    assert knob.joint.words == () and knob.joint.kind is JointKind.HINGE
    assert knob.joint.point[:2] == pytest.approx((0.4, -0.3))
    assert knob.states.degrees == pytest.approx(0.0)


@pytest.mark.parametrize(('to', 'is_so'), [(0.0, 'off'), (2.1, 'on'), (1.0, '')])
def test_what_a_knob_switches_is_on_or_off(kitchen, to, is_so):
    kitchen.set('stove_1_button', to)
    stove = things_of(kitchen)['stove']
    assert stove.states.now == is_so and stove.states.along == ('stove_knob',)
    assert stove.states.poses == (stove.pose, stove.pose)


def test_regions_in_a_part_are_called_as_the_part(kitchen):
    called = Truth(kitchen).called
    assert called['cabinet_1_top_region'] == 'wooden_cabinet_top_drawer'
    assert called['stove_1'] == 'stove'
