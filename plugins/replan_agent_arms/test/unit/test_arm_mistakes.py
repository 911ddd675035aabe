# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What is wrong with an arm that loads is said in words."""

import math
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from replan_agent_arms.arm_check import Finding, described, report
from replan_agent_arms.arm_file import load_arm
from replan_agent_arms.arm_mistakes import axis_mistakes, mistakes
from replan_agent_arms.branches import even_shares
from replan_agent_arms.chain import ChainKinematics
from small_arms import SIDECAR, six_joints

from replan_agent.domain.pose import Pose
from replan_agent.domain.trajectory import JointLimits

Written = Callable[..., Path]
PAN = '<origin xyz="0 0 0.15" rpy="0 0 0"/>'
PALM = '<origin xyz="0 0.09 0" rpy="-1.5708 0 0"/>'


def said(written: Written, old: str = '', new: str = '', sidecar: str = SIDECAR
         ) -> list[tuple[bool | None, str]]:
    assert old in six_joints()
    return list(mistakes(load_arm(written(sidecar, six_joints().replace(old, new))).arm))


def test_nothing_is_wrong_with_a_good_arm(written: Written) -> None:
    assert said(written) == []


def test_a_wrong_axis_is_found_by_the_turns_that_the_hand_cannot_make(written: Written) -> None:
    (ok, text), = said(written, '<axis xyz="0 0 -1"/>', '<axis xyz="0 1 0"/>')
    assert ok is False and 'lift, elbow, wrist1, wrist2, wrist3 turn about axes that are' in text


FIVE = SIDECAR.replace(', wrist3]', ']').replace('-1.57, 0.0]', '-1.57]')
WRIST3 = '<joint name="wrist3" type="revolute">'


def test_an_arm_of_five_joints_is_looked_at_as_any(written: Written) -> None:
    found = said(written, WRIST3, WRIST3.replace('revolute', 'fixed'), FIVE)
    assert not any('axis of each' in text for _, text in found)
    assert (None, 'with 5 joints the hand cannot be turned freely: few poses can be reached'
            ) in found
    # Elbow and wrist in line with each other: five joints that do the work of four.
    model = six_joints().replace(WRIST3, WRIST3.replace('revolute', 'fixed'))
    model = model.replace('<origin xyz="0 0 0.37" rpy="0 1.5708 0"/>', '<origin xyz="0 0 0"/>')
    found = list(mistakes(load_arm(written(FIVE, model)).arm))
    assert any('lift, elbow, wrist1 turn about axes' in text for _, text in found)


def test_axes_are_called_parallel_only_where_they_are() -> None:
    turn = Pose.from_rpy(0, 0, 0, math.pi / 2, 0, 0)  # each axis across the one before: a wrist
    limit, ones = np.full(6, 3.0), np.ones(6)
    names = tuple(f'j{i}' for i in range(6))
    kinematics = ChainKinematics(JointLimits(names, -limit, limit, ones, ones, ones, ones),
                                 [(turn.position, turn.quaternion)] * 6, Pose((0, 0, 0)), 0.1)
    arm = SimpleNamespace(joint_names=names, joint_count=6, kinematics=kinematics)
    (_, text), = axis_mistakes(arm, even_shares(6, 20))  # type: ignore[arg-type]
    assert text.endswith('turned freely: check the axis of each joint in the model')


@pytest.mark.parametrize('old, new, sidecar, said_of_it', [
    ('effort="100"', 'effort="0.5"', SIDECAR, 'the own weight of the arm needs'),
    ('<mass value="1.0"/>', '<mass value="90"/>', SIDECAR.replace('payload: 5', 'payload: 400'),
     'the own weight of the arm needs'),
    ('', '', SIDECAR.replace('payload: 5.0', 'payload: 90'), '00 kg in the hand at home needs')])
def test_what_the_motors_cannot_hold_is_told(written: Written, old: str, new: str, sidecar: str,
                                             said_of_it: str) -> None:
    found = said(written, old, new, sidecar)
    (text,) = (text for ok, text in found if ok is False and 'N·m at' in text)
    assert said_of_it in text


def test_a_tilted_base_is_told(written: Written) -> None:
    found = said(written, PAN, PAN.replace('rpy="0 0 0"', 'rpy="0.6 0 0"'))
    assert any('the base is tilted: pan turns about an axis that is 34 degrees from up' in text
               for _, text in found)


def test_a_home_below_the_table_is_wrong(written: Written) -> None:
    found = said(written, sidecar=SIDECAR.replace('home: [0.0, -1.57,', 'home: [0.0, 0.3,'))
    assert any(ok is False and 'm below the table; write a home above it' in text
               for ok, text in found)


def test_a_hand_that_points_into_the_arm_is_wrong(written: Written) -> None:
    found = said(written, PALM, PALM.replace('-1.5708', '1.5708'))
    assert [ok for ok, text in found if 'the hand points back into the arm; turn it' in text] == [
        False]


def test_a_hand_that_points_aside_is_told(written: Written) -> None:
    found = said(written, PALM, PALM.replace('-1.5708', '0'))
    assert [ok for ok, text in found if 'degrees away from the axis of wrist3' in text] == [None]


def test_the_report_of_an_arm_with_a_doubt_begins_with_it(written: Written) -> None:
    path = written(model=six_joints().replace(PALM, PALM.replace('-1.5708', '0')))
    arm = load_arm(path).arm
    doubts = [finding for finding in described(arm) if finding.doubt]
    assert 'degrees away from the axis' in doubts[0].text and doubts[0].mark == 'look'
    text = report(path, arm, (), [Finding(True, 'it moves'), *doubts], [])
    assert f'**It works; look at this: {doubts[0].text}.**' in text and 'is well' not in text
    assert '**Wrong: it falls.**' in report(path, arm, (), [*doubts, Finding(False, 'it falls')],
                                            [])


@pytest.mark.parametrize('rpy, wrong', [('[0, 0, 0]', False), ('[3.14, 0, 0]', True)])
def test_a_camera_that_looks_back_is_wrong(written: Written, rpy: str, wrong: bool) -> None:
    camera = f'camera: {{frame: palm, xyz: [0.06, 0, 0.03], rpy: {rpy}}}'
    found = said(written, sidecar=f'{SIDECAR}{camera}')
    assert wrong is any(ok is False and 'the camera on the hand looks back' in text
                        for ok, text in found)


@pytest.mark.parametrize('open_m', ['0.005', '0.007'])
def test_a_hand_that_opens_little_is_told(written: Written, open_m: str) -> None:
    found = said(written, sidecar=SIDECAR.replace('open: 0.04', f'open: {open_m}'))
    assert [ok for ok, text in found if 'mm only; check gripper.open' in text] == [None]
