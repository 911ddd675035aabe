# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The section `ros` of a sidecar: read strictly, and what an arm is called then."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import yaml
from replan_agent_arms.arm_file import load_arm
from replan_agent_arms.sidecar_ros import Ros, Service
from small_arms import SIDECAR

from replan_agent.app.build.share import share_path
from replan_agent.domain.config import ConfigError
from replan_agent.text.setting import build

ARMS = sorted(share_path('config', 'arms').glob('*.yaml'))
Written = Callable[..., Path]


@pytest.mark.parametrize('file', ARMS, ids=lambda file: file.stem)
def test_our_sidecars_are_small_and_their_names_are_read(file: Path) -> None:
    text = file.read_text('utf-8')
    assert len(text.splitlines()) <= 40
    said = yaml.safe_load(text)
    ros = build(Ros, said['ros'], file.name)
    assert ros.base and ros.tool and ros.trajectory.endswith('/follow_joint_trajectory')
    assert len(ros.joints or said['joints']) == len(said['joints'])


@pytest.mark.parametrize(('section', 'said'), [
    ({'trajectory': 'with space'}, r'ros.trajectory: must be a name of ROS.*for example: traj'),
    ({'joints': ['a', 'a']}, r'ros.joints: must be a list of names, each of them once'),
    ({'joints': ['a', 'b']}, r'ros.joints: has 2 names for 6 joints'),
    ({'stop': 'dashboard/stop'}, r'ros.stop: must be a list of services.*for example: stop: \['),
    ({'recover': [{'type': 'std_srvs/Trigger'}]}, r'ros.recover\[0\].service: it is missing'),
    ({'recover': [{'service': 'a', 'type': 'Trigger'}]},
     r'ros.recover\[0\].type: must be the type of a service, package/Name.*std_srvs/SetBool'),
    ({'safety': {'topic': 'a', 'type': 'Mode', 'stops': {3: 'stop'}}},
     r'ros.safety.type: must be the type of a message, package/Name'),
    ({'safety': {'topic': 'a', 'type': 'b/Mode', 'stops': ['stop']}},
     r'ros.safety.stops: must be whole numbers, each with the words'),
    ({'safety': {'topic': 'a', 'type': 'b/Mode', 'stops': {3: 'stop'}, 'by_hand': 3}},
     r'ros.safety.by_hand: must be a list of whole numbers'),
    ({'recover': [{'service': 'a', 'request': {'data': [1]}}]},
     r'recover\[0\].request: must be names of fields'),
    ({'gripper': {'action': 'a', 'open': 0.1}}, 'open and closed belong together'),
    ({'gripper': {'action': 'a', 'open': 0.1, 'closed': 0.1}}, 'open and closed belong together'),
    ({'gripper': {'joint': 'a'}}, r'ros.gripper.action: it is missing'),
    ({'bringup': {'package': 'a'}}, r'ros.bringup.file: it is missing.*ur_control.launch.py'),
    ({'bringup': {'package': 'a', 'file': 'b', 'arguments': {'ip': '{ip}'}}},
     r"arguments.ip: '\{ip\}' may use \{robot_ip\}.*for example: robot_ip: '\{robot_ip\}'"),
    ({'bringup': {'package': 'a', 'file': 'b', 'arguments': {'ip': '{'}}}, 'may use'),
    ({'controler': 'x'}, r"unknown key 'controler'.*controller_manager"),
])
def test_what_is_wrong_is_one_sentence_with_the_key(written: Written, section: dict[str, object],
                                                    said: str) -> None:
    file = written(SIDECAR + yaml.safe_dump({'ros': section}))
    with pytest.raises(ConfigError, match=said) as raised:
        load_arm(file)
    assert str(raised.value).startswith(str(file)) and '\n' not in str(raised.value)


def test_a_service_by_its_name_alone_is_a_trigger() -> None:
    ros = build(Ros, {'recover': ['a/b', {'service': 'c', 'type': 'std_srvs/srv/SetBool',
                                          'request': {'data': True}}]}, 'file')
    assert ros.recover == (Service('a/b', 'std_srvs/Trigger'),
                           Service('c', 'std_srvs/SetBool', {'data': True}))
    assert ros.recover[0].sent == {} and ros.recover[0].expected == {'success': True}


def test_the_joints_and_positions_of_the_driver_may_differ_from_those_of_the_model(
        written: Written) -> None:
    joints = [f'axis_{k}' for k in range(6)]
    ros = {'joints': joints, 'gripper': {'action': 'hand/cmd', 'joint': 'hand_joint',
                                         'open': 0.0, 'closed': 255.0}}
    arm = load_arm(written(SIDECAR + yaml.safe_dump({'ros': ros}))).arm
    assert list(arm.joint_names) == joints
    hand, widest = arm.ros.gripper, arm.hand.max_width_m
    assert hand.reads == ('hand_joint',) and arm.finger_names == ('left_slide',)
    assert hand.commanded(widest) == pytest.approx(0.0, abs=1e-6)
    assert hand.commanded(0.0) == pytest.approx(255.0)
    assert hand.width([127.5]) == pytest.approx(widest / 2)


def test_the_links_of_the_model_keep_their_names_and_places(written: Written) -> None:
    arm = load_arm(written()).arm
    ours = {'link0': np.eye(4), **arm.body_frames(np.zeros(6), 0.04)}
    places = {name: ours[part] @ pose.matrix() for name, part, pose in arm.ros.frames}
    assert arm.ros.base == 'base' and 'base' not in places
    assert places['pan_link'][:3, 3] == pytest.approx((0, 0, 0.15))
    assert places['lift_link'][:3, :3] @ (0, 0, 1) == pytest.approx((1, 0, 0), abs=1e-4)
    across = places['left_pad'][:3, 3] - places['right_pad'][:3, 3]
    assert np.linalg.norm(across) == pytest.approx(0.04, abs=1e-4)
