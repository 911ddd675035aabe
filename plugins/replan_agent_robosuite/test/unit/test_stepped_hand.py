# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Hands that take open, close or stay, on a model of their own: robosuite is not needed."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from replan_agent_robosuite.robots import ROBOTS, robot_of
from replan_agent_robosuite.stepped_hand import SteppedHand

from replan_agent import ConfigError
from replan_agent.arms.franka import PANDA
from replan_agent.robot.mujoco.gl import mujoco

STROKE_M, STEP = 0.04, 0.2  # of one finger; of what a motor is told, from -1 to 1
FINGER = """
<body name="{name}" pos="{x} {side}0.005 0">
  <joint name="gripper0_right_{name}" type="slide" axis="0 {side}1 0" damping="100" armature="1"/>
  <geom name="{name}_pad" type="box" size=".01 .005 .01"/>
</body>"""
MOTOR = ('<position joint="gripper0_right_{name}" kp="{kp}" ctrlrange="0 .04" '
         'forcerange="-20 20"/>')


class HandWorld:
    """Two fingers, and perhaps a third beside the first; `thing_m` is between them.

    With `third` the thing is loose, and the motors are stiff and told small steps.
    """

    def __init__(self, thing_m: float = 0.0, third: bool = False) -> None:
        kp, self.gripper_step = (10_000, STEP / 10) if third else (1_000, STEP)
        fingers = [replace(body, pads=tuple(replace(pad, centre=(0.0, 0.0, 0.0), size=(
            0.02, 0.0, 0.02)) for pad in body.pads[:1])) for body in PANDA.gripper.fingers]
        if third:
            fingers.append(replace(fingers[0], name='third', joint='third_joint'))
        names = [(body.joint, '+' if body is not fingers[1] else '-') for body in fingers]
        loose = '<joint name="loose" type="slide" axis="0 1 0" damping="10"/>' if third else ''
        thing = (f'<body>{loose}<geom type="box" size=".05 {thing_m / 2} .05" mass="0.1"/></body>'
                 if thing_m else '')
        self.model = mujoco.MjModel.from_xml_string(
            '<mujoco><option gravity="0 0 0"/><default><geom solref=".004 1" '
            'solimp=".99 .999 .0001"/></default>'
            f'<worldbody>{thing}'
            + ''.join(FINGER.format(name=name, side=side, x=0.03 * (name == 'third_joint'))
                      for name, side in names)
            + '</worldbody><actuator>'
            + ''.join(MOTOR.format(name=name, kp=kp) for name, _ in names)
            + '</actuator></mujoco>')
        self.data = mujoco.MjData(self.model)
        self.data.qpos[-len(names):] = STROKE_M / 2
        self.arm = replace(PANDA, gripper=replace(PANDA.gripper, fingers=tuple(fingers)))
        pads = [f'{name}_pad' for name, _ in names]
        geoms = {'left_fingerpad': [pads[0], *pads[2:]], 'right_fingerpad': [pads[1]]}
        self.gripper = SimpleNamespace(naming_prefix='gripper0_right_', important_geoms=geoms)
        self.closing, self.period, self.level = np.array([0.0, 1.0, 0.0]), 0.01, 0.0
        self.advance()

    def motor_of(self, joint: str) -> int | None:
        driven = np.flatnonzero(self.model.actuator_trnid[:, 0] == self.model.joint(joint).id)
        return int(driven[0]) if len(driven) else None

    def advance(self, closing: float = 0.0) -> None:
        self.level = float(np.clip(self.level - self.gripper_step * np.sign(closing), -1, 1))
        self.data.ctrl[:] = STROKE_M * (1 + self.level) / 2
        for _ in range(5):
            mujoco.mj_step(self.model, self.data)


def never() -> None:
    return None


def test_the_hand_goes_to_the_first_step_that_is_wide_enough():
    hand = SteppedHand(HandWorld())
    assert hand.widest == pytest.approx(2 * STROKE_M)
    for asked, found in ((0.08, 0.08), (0.03, 0.032), (0.05, 0.056), (0.0, 0.0)):
        assert hand.move(asked, never).success
        assert hand.width == pytest.approx(found, abs=0.002)
    assert not hand.move(0.09, never).success


def test_closed_fingers_say_how_wide_a_thing_is_and_that_they_press():
    hand = SteppedHand(HandWorld(thing_m=0.03))
    assert hand.move(hand.widest, never).success
    assert hand.force < 0.5
    assert hand.grasp(20.0, never).success
    assert hand.width == pytest.approx(0.03, abs=0.002)
    assert 5 < hand.force <= 40


def test_fingers_press_about_as_hard_as_asked_and_with_all_they_have_at_most():
    for asked_n, least_n, most_n in ((6.0, 5.0, 10.0), (40.0, 13.0, 21.0)):
        hand = SteppedHand(HandWorld(thing_m=0.03))
        assert hand.move(hand.widest, never).success
        assert hand.grasp(asked_n, never).success
        assert least_n < hand.force < most_n


def test_a_hand_that_cannot_close_as_far_as_asked_is_blocked():
    hand = SteppedHand(HandWorld(thing_m=0.03))
    hand.move(hand.widest, never)
    blocked = hand.move(0.01, never)
    assert not blocked.success and 'is blocked at 29' in blocked.detail


def test_the_width_is_between_the_pads_where_all_joints_are_and_not_where_one_says():
    world = HandWorld()
    hand = SteppedHand(world)
    world.data.qpos[:] = 0.01, 0.04
    mujoco.mj_kinematics(world.model, world.data)
    assert hand.width == pytest.approx(0.05)


def test_a_pad_that_is_turned_counts_where_it_is_and_not_with_a_box_around_it():
    world = HandWorld()
    hand, pad = SteppedHand(world), world.model.geom(world.gripper.important_geoms[
        'left_fingerpad'][0]).id
    half, before = world.model.geom_size[pad][:2], hand.width
    sine, cosine = np.sin(0.5), np.cos(0.5)
    world.data.geom_xmat[pad] = cosine, -sine, 0, sine, cosine, 0, 0, 0, 1
    deeper = half @ (sine, cosine) - half[1]
    assert hand.width == pytest.approx(before - deeper)


@pytest.mark.parametrize('tenths_mm', range(280, 320, 4))
def test_a_force_between_two_steps_of_the_hand_is_no_reason_to_move_to_and_fro(tenths_mm):
    hand = SteppedHand(HandWorld(thing_m=tenths_mm / 1e4))  # a step is 4 N: more than 6 to 9 N
    assert hand.move(hand.widest, never).success
    closed = hand.grasp(6.0, never)
    assert closed.success, closed.detail
    assert 5.5 < hand.force < 10.5


def test_one_finger_against_two_gives_all_its_force_and_they_push_it_no_further():
    world = HandWorld(thing_m=0.03, third=True)
    hand = SteppedHand(world)
    hand.move(hand.widest, never)
    assert hand.grasp(20.0, never).success
    one, alone, other = np.abs(world.data.actuator_force)
    assert alone == pytest.approx(20.0, abs=0.5)
    assert one == pytest.approx(other, abs=0.5) and one + other == pytest.approx(20.0, abs=1.0)
    place = float(world.data.joint('loose').qpos[0])
    for _ in range(300):
        world.advance()
    assert abs(place) < 0.003
    assert world.data.joint('loose').qpos[0] == pytest.approx(place, abs=2e-4)


def test_an_arm_that_robosuite_does_not_have_is_answered_with_those_that_it_has():
    assert robot_of('ur5e') == 'UR5e'
    with pytest.raises(ConfigError, match="the arm 'panda': set robot.model to one of: robosuite"):
        robot_of('panda')
    assert len(set(ROBOTS.values())) == len(ROBOTS)
