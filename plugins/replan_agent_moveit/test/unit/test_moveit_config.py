# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""MoveIt's parameters and names, without MoveIt and without ROS."""

from __future__ import annotations

import atexit
import math
import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote, urlparse
from xml.etree import ElementTree as ET

import numpy as np
import pytest
import yaml
from linkage_arm import linkage_arm
from replan_agent_moveit.moveit_arm import arm_names
from replan_agent_moveit.moveit_config import configuration, for_moveit_py
from replan_agent_moveit.moveit_description import completed, described, urdf_of
from replan_agent_moveit.moveit_settings import MoveItSettings

from replan_agent.arms.arm_model import ArmModel
from replan_agent.arms.franka import FR3, PANDA
from replan_agent.arms.known_arms import arm_named
from replan_agent.domain.config import ConfigError
from replan_agent.domain.context import Context
from replan_agent.domain.pose import Pose

LINKAGE = linkage_arm()
OTHER = replace(LINKAGE, ros=replace(LINKAGE.ros, gripper=LINKAGE.gripper, base='base_link',
                                     tool='tool0'))
BOTH = ('ompl', 'pilz_industrial_motion_planner')


def urdf(prefix: str, *parts: str) -> str:
    names = [f'link{k}' for k in range(9)] + ['hand', 'leftfinger', 'rightfinger', *parts]
    return '<robot name="x">' + ''.join(
        f'<link name="{prefix}_{name}"><collision/></link>' for name in names) + '</robot>'


def parameters(**more: object) -> dict[str, object]:
    return {'robot_description': urdf('panda'), 'robot_description_semantic': '<robot/>', **more}


def test_both_pipelines_check_what_they_find_whatever_is_configured() -> None:
    config = for_moveit_py(parameters(**{'ompl.response_adapters': [
        'default_planning_response_adapters/AddTimeOptimalParameterization']}))
    for name in BOTH:
        before, after = (config[f'{name}.{kind}_adapters'] for kind in ('request', 'response'))
        assert 'default_planning_response_adapters/ValidateSolution' in after
        assert not any('TimeOptimal' in one for one in after), 'it cuts corners'
        assert 'default_planning_request_adapters/CheckStartStateCollision' in before


def test_no_list_is_shared_because_yaml_would_write_an_alias() -> None:
    assert '*id' not in yaml.dump(for_moveit_py(parameters()))


def test_the_pipeline_without_a_name_is_ompls() -> None:
    config = for_moveit_py(parameters(**{
        'move_group.planning_plugins': ['mine'], 'move_group.planner_configs.RRT.range': 0.2,
        'planning_pipelines': ['move_group']}))
    assert config['ompl.planning_plugins'] == ['mine'], 'what is configured stays'
    assert config['ompl.planner_configs.RRT.range'] == 0.2
    assert config['planning_pipelines.pipeline_names'] == list(BOTH)
    assert not any(name.startswith('move_group.') for name in config)


def test_what_a_node_declares_itself_or_has_no_value_is_left_out() -> None:
    config = for_moveit_py(parameters(**{'start_type_description_service': True, 'empty': [],
                                        'unset': None, 'qos_overrides./tf.depth': 1}))
    assert not {'start_type_description_service', 'empty', 'unset',
                'qos_overrides./tf.depth', 'planning_pipelines'} & set(config)
    with pytest.raises(ConfigError, match='robot_description_semantic'):
        for_moveit_py({'robot_description': '<robot/>'})


def test_a_parameter_file_gives_the_same_as_the_node(tmp_path: Path) -> None:
    nested = {'robot_description': urdf('panda'), 'robot_description_semantic': '<robot/>',
              'ompl': {'panda_arm': {'projection_evaluator': 'joints(panda_joint1)'}}}
    file = tmp_path / 'move_group.yaml'
    file.write_text(yaml.dump({'/move_group': {'ros__parameters': nested}}))
    config = configuration(MoveItSettings(parameters_file=str(file)))(Context())
    assert config['ompl.panda_arm.projection_evaluator'] == 'joints(panda_joint1)'
    file.write_text('[]')
    with pytest.raises(ConfigError, match='ros__parameters'):
        configuration(MoveItSettings(parameters_file=str(file)))(Context())


@pytest.mark.parametrize(('model', 'prefix'), [('panda', 'panda'), ('panda', 'fer'),
                                               ('fr3', 'fr3')])
def test_the_arm_is_found_under_the_names_of_its_description(model: str, prefix: str) -> None:
    names = arm_names({'robot_description': urdf(prefix)}, arm_named(model), MoveItSettings())
    assert (names.group, names.tip, names.base) == (
        f'{prefix}_arm', f'{prefix}_hand', f'{prefix}_link0')
    assert names.of_part(f'{model}_link5') == (f'{prefix}_link5',)
    assert f'{prefix}_leftfinger' in names.of_part('gripper')
    assert names.of_part('cube') == ()


def test_an_unknown_link_or_arm_is_named_with_the_choices() -> None:
    other_arm = {'robot_description': urdf('panda')}
    with pytest.raises(ConfigError, match=r"tip_link: .*no link 'tool'; it has: .*panda_hand"):
        arm_names(other_arm, PANDA, MoveItSettings(tip_link='tool'))
    with pytest.raises(ConfigError, match='fr3_link0'):
        arm_names(other_arm, FR3, MoveItSettings())
    with pytest.raises(ConfigError, match='not XML'):
        arm_names({'robot_description': 'no'}, PANDA, MoveItSettings())


def ur_like(arm: ArmModel) -> str:
    """A description by another's hand: its links have names of their own."""
    links = ['base_link', 'foot', *(f'part_{k}' for k in range(arm.joint_count)), 'flange',
             'tool0', 'grip', 'finger']
    joints = [('a', 'fixed', 'base_link', 'foot'), *(
        (name, 'revolute', 'foot' if k == 0 else f'part_{k - 1}', f'part_{k}')
        for k, name in enumerate(arm.joint_names)),
        ('b', 'fixed', f'part_{arm.joint_count - 1}', 'flange'), ('c', 'fixed', 'flange', 'tool0'),
        ('d', 'fixed', 'tool0', 'grip'), (arm.finger_names[0], 'revolute', 'grip', 'finger')]
    return '<robot name="x">' + ''.join(
        f'<link name="{name}"><collision/></link>' for name in links) + ''.join(
        f'<joint name="{name}" type="{kind}"><parent link="{a}"/><child link="{b}"/></joint>'
        for name, kind, a, b in joints) + '</robot>'


def test_another_arm_is_found_by_its_joints_whatever_its_links_are_called() -> None:
    arm = OTHER
    srdf = ('<robot><group name="grip"><joint name="x"/></group><group name="manipulator"><chain '
            'base_link="base_link" tip_link="tool0"/></group></robot>')
    names = arm_names({'robot_description': ur_like(arm), 'robot_description_semantic': srdf}, arm,
                      MoveItSettings(), 'my_arm.yaml')
    assert (names.model, names.group, names.base, names.tip) == (
        'my_arm.yaml', 'manipulator', 'base_link', 'tool0')
    assert names.of_part(arm.frame('link0')) == ('foot', 'base_link')
    assert names.of_part(arm.frame(f'link{arm.joint_count}')) == (
        f'part_{arm.joint_count - 1}', 'flange')
    assert names.of_part('gripper') == ('tool0', 'grip', 'finger')
    assert names.finger_joints(0.02) == {
        arm.finger_names[0]: pytest.approx(arm.gripper.commanded(0.02))}


def test_what_is_missing_of_another_arm_is_named() -> None:
    arm = OTHER
    with pytest.raises(ConfigError, match='no joint .*, so it is not the arm of robot.model'):
        arm_names({'robot_description': '<robot/>'}, arm, MoveItSettings())
    with pytest.raises(ConfigError, match="no link 'tool9'; it has: .*tool0"):
        arm_names({'robot_description': ur_like(arm)}, arm, MoveItSettings(tip_link='tool9'))
    with pytest.raises(ConfigError, match='base_link is not carried by'):
        arm_names({'robot_description': ur_like(arm)}, arm, MoveItSettings(tip_link='base_link'))


def test_groups_pairs_and_limits_that_a_configuration_lacks_are_made_and_the_users_win() -> None:
    arm = OTHER
    config = completed({'robot_description': ur_like(arm)}, arm, MoveItSettings())
    srdf = ET.fromstring(config['robot_description_semantic'])
    assert srdf.find('group/chain').attrib == {'base_link': 'base_link', 'tip_link': 'tool0'}
    assert srdf.find('end_effector').get('parent_link') == 'tool0'
    off = {(pair.get('link1'), pair.get('link2')) for pair in srdf.findall('disable_collisions')}
    assert {('part_0', 'part_1'), ('base_link', 'foot'), ('finger', 'grip')} <= off
    assert ('part_0', f'part_{arm.joint_count - 1}') not in off
    joint = f'robot_description_planning.joint_limits.{arm.joint_names[0]}.max_acceleration'
    assert config[joint] == arm.limits.acceleration[0]
    own = completed({'robot_description': ur_like(arm), 'robot_description_semantic': '<robot/>',
                     joint: 1.0}, arm, MoveItSettings())
    assert own['robot_description_semantic'] == '<robot/>' and own[joint] == 1.0
    assert not any('kinematics' in name or 'velocity' in name for name in own)


def test_without_a_move_group_everything_is_made_from_the_arm() -> None:
    config = configuration(MoveItSettings(move_group=''), arm=OTHER)(Context())
    names = arm_names(config, OTHER, MoveItSettings())
    assert names.group == f'{LINKAGE.name}_arm' and names.tip == LINKAGE.frame('hand')
    assert f'robot_description_kinematics.{names.group}.kinematics_solver' in config


@pytest.mark.parametrize('arm', [PANDA, LINKAGE], ids=['panda', 'linkage'])
def test_the_description_that_is_made_moves_like_the_arm(arm: ArmModel, tmp_path: Path) -> None:
    root = ET.fromstring(urdf_of(arm, tmp_path))
    home, width = np.array(arm.home), arm.hand.max_width_m / 3
    values = dict(zip(arm.joint_names, home)) | arm_names(
        {'robot_description': ET.tostring(root, 'unicode')}, arm, MoveItSettings()
    ).finger_joints(width)
    places = {arm.frame('link0'): np.eye(4)}
    for joint in root.findall('joint'):
        origin = joint.find('origin')
        x, y, z, *turn = map(float, f'{origin.get("xyz")} {origin.get("rpy")}'.split())
        T = places[joint.find('parent').get('link')] @ Pose.from_rpy(x, y, z, *turn).matrix()
        axis = np.array([*map(float, joint.find('axis').get('xyz').split())])
        value = values.get(joint.get('name'), 0.0)
        if joint.get('type') == 'prismatic':
            T[:3, 3] += T[:3, :3] @ axis * value
        elif joint.get('type') == 'revolute':
            limit = joint.find('limit')
            assert float(limit.get('lower')) <= value <= float(limit.get('upper'))
            sine = math.sin(value / 2) * axis
            T = T @ Pose((0, 0, 0), (math.cos(value / 2), *map(float, sine))).matrix()
        places[joint.find('child').get('link')] = T
    for part, T in arm.body_frames(home, width).items():
        if part != 'hand_tcp':
            assert places[arm.frame(part)] == pytest.approx(T, abs=1e-6), part


def test_meshes_for_moveit_are_there_until_the_process_ends(
        monkeypatch: pytest.MonkeyPatch) -> None:
    ends: list[Callable[[], object]] = []
    monkeypatch.setattr(atexit, 'register', lambda do, *given, **named: ends.append(
        lambda: do(*given, **named)))
    root = ET.fromstring(described(LINKAGE)['robot_description'])
    meshes = [Path(unquote(urlparse(mesh.get('filename')).path)) for mesh in root.iter('mesh')]
    assert meshes and all(mesh.is_file() for mesh in meshes)
    for end in ends:
        end()
    assert not meshes[0].parent.exists()


def test_convex_pieces_are_closed_meshes_seen_from_outside(tmp_path: Path) -> None:
    root = ET.fromstring(described(LINKAGE)['robot_description'])
    meshes = [unquote(urlparse(mesh.get('filename')).path) for mesh in root.iter('mesh')]
    assert meshes
    for file in meshes:
        data = Path(file).read_bytes()
        (count,) = struct.unpack_from('<I', data, 80)
        assert len(data) == 84 + 50 * count
        faces = np.array([struct.unpack_from('<12f', data, 84 + 50 * k) for k in range(count)])
        normals, corners = faces[:, :3], faces[:, 3:].reshape(-1, 3, 3)
        middle = corners.reshape(-1, 3).mean(axis=0)
        turned = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        assert (np.einsum('ij,ij->i', turned, normals) > 0).all()
        assert (np.einsum('ij,ij->i', corners[:, 0] - middle, normals) > 0).all()
