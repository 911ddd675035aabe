# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Every launch file, run dry: its arguments, and what it would start with which values.

Needs `launch` and `launch_ros`. Packages of others are stand-ins: launch files that declare the
arguments which franka_ros2 (3.4, Jazzy), realsense-ros (4.56), ros_gz (Jazzy), and the drivers of
config/arms (Jazzy) document, and refuse any other. What they start is not run.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

# Our own folder launch/ imports as an empty package: ask for what only the real one has.
pytest.importorskip('launch.actions', reason='launch is not installed: source a ROS 2 workspace')
pytest.importorskip('launch_ros', reason='launch_ros is not installed')

from launch.actions import (  # noqa: E402
    DeclareLaunchArgument,
    IncludeLaunchDescription,
    LogInfo,
    RegisterEventHandler,
)
from launch.events.process import ProcessExited  # noqa: E402
from launch.launch_description_sources import PythonLaunchDescriptionSource  # noqa: E402
from launch.utilities import perform_substitutions  # noqa: E402
from launch.utilities.type_utils import perform_typed_substitution  # noqa: E402
from launch_ros.actions import Node  # noqa: E402

from launch import LaunchContext, LaunchDescription  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
GAZEBO = ROOT / 'plugins' / 'replan_agent_gazebo'
ARMS = sorted((ROOT / 'config' / 'arms').glob('*.yaml'))
SMALL_ARMS = ROOT / 'plugins' / 'replan_agent_arms' / 'test' / 'unit'
FILES = {path.name.removesuffix('.launch.py'): path
         for folder in (ROOT, GAZEBO) for path in (folder / 'launch').glob('*.py')}
AGENT = {'perception_node', 'planner_node', 'skill_node', 'guard_node', 'starter_node',
         'agent_node'}
COMMON = {'namespace', 'use_sim_time', 'params_file', 'log_level', 'planner', 'perception',
          'model', 'vlm_base_url', 'robot_type', 'eye_in_hand', 'web', 'respawn',
          'frame_prefix', 'clock', 'stop_memory'}
ARGUMENTS = {
    'agent': COMMON | {'use_fake_hardware', 'names_file', 'base_frame', 'doctor', 'calibration'},
    'sim': COMMON | {'scene', 'headless', 'arm'},
    'robot': COMMON | {'robot_ip', 'use_fake_hardware', 'fake_sensor_commands', 'use_moveit',
                       'use_camera', 'serial_no', 'calibration', 'controllers_file', 'rviz',
                       'hand_serial_no', 'hand_calibration', 'arm', 'doctor'},
    'gazebo': COMMON | {'world', 'bridge', 'controllers_file', 'camera', 'headless', 'rviz'},
    'two_arms': {'use_fake_hardware', 'log_level', 'respawn', 'sim', 'doctor'} | {
        f'{arm}_{name}' for arm in ('left', 'right')
        for name in ('robot_ip', 'params_file', 'calibration', 'serial_no', 'scene')},
}
# package: launch file, the arguments that it documents
STAND_INS = {
    'franka_bringup': ('franka.launch.py', (
        'robot_type', 'arm_prefix', 'namespace', 'robot_ip', 'load_gripper', 'use_fake_hardware',
        'fake_sensor_commands', 'joint_state_rate', 'load_franka_robot_state_broadcaster',
        'controllers_yaml')),
    'franka_fr3_moveit_config': ('move_group.launch.py', (
        'db', 'robot_ip', 'load_gripper', 'use_fake_hardware', 'fake_sensor_commands',
        'namespace', 'arm_prefix')),
    'realsense2_camera': ('rs_launch.py', (
        'camera_name', 'camera_namespace', 'serial_no', 'align_depth.enable', 'enable_sync',
        'publish_tf')),
    'ros_gz_sim': ('gz_sim.launch.py', ('gz_args', 'gz_version', 'debugger',
                                        'on_exit_shutdown')),
    'franka_description': ('none.launch.py', ()),
    'ur_robot_driver': ('ur_control.launch.py', (
        'ur_type', 'robot_ip', 'use_mock_hardware', 'headless_mode', 'launch_rviz',
        'initial_joint_controller', 'tf_prefix')),
    'kortex_bringup': ('gen3.launch.py', (
        'robot_type', 'robot_ip', 'dof', 'use_fake_hardware', 'gripper', 'launch_rviz')),
    'xarm_moveit_config': ('xarm7_moveit_realmove.launch.py', ('robot_ip', 'add_gripper')),
    'lbr_bringup': ('hardware.launch.py', ('model', 'robot_name', 'ctrl')),
}
STAND_IN = """
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

NAMES = {names!r}

def generate_launch_description():
    return LaunchDescription([
        *(DeclareLaunchArgument(name, default_value='') for name in NAMES),
        Node(package={package!r}, executable='stand_in', name='stand_in', arguments=[
            [name, ':=', LaunchConfiguration(name)] for name in NAMES])])
"""


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An ament prefix with our checkout and the stand-ins, and a xacro that only echoes."""
    prefix = tmp_path / 'prefix'
    index = prefix / 'share' / 'ament_index' / 'resource_index' / 'packages'
    index.mkdir(parents=True)
    for package, (file, names) in STAND_INS.items():
        (index / package).touch()
        folder = prefix / 'share' / package / 'launch'
        folder.mkdir(parents=True)
        (folder / file).write_text(STAND_IN.format(names=names, package=package), 'utf-8')
    for package, source in (('replan_agent', ROOT), ('replan_agent_gazebo', GAZEBO)):
        (index / package).touch()
        (prefix / 'share' / package).symlink_to(source)
    xacro = tmp_path / 'bin' / 'xacro'
    xacro.parent.mkdir()
    xacro.write_text('#!/bin/sh\necho "<robot>$*</robot>"\n', 'utf-8')
    xacro.chmod(0o755)
    monkeypatch.setenv('AMENT_PREFIX_PATH', str(prefix))
    monkeypatch.setenv('PATH', str(xacro.parent), prepend=':')
    yield tmp_path


def description(name: str) -> LaunchDescription:
    return PythonLaunchDescriptionSource(str(FILES[name])).get_launch_description(LaunchContext())


class Started(NamedTuple):
    package: str
    executable: str
    namespace: str
    command: str  # the words after the executable, and the text of the parameter files
    respawns: bool
    ends_launch: bool  # if it refuses its parameters


class DryRun:
    """What a launch file would start."""

    def __init__(self, file: str, **arguments: str) -> None:
        self._context = LaunchContext()
        self.nodes: list[Started] = []
        self._on_exit: list[RegisterEventHandler] = []
        self._kept: list[Node] = []
        source = PythonLaunchDescriptionSource(str(FILES[file]))
        self._visit([IncludeLaunchDescription(source, launch_arguments=list(arguments.items()))])

    def _visit(self, entities: Any) -> None:
        for entity in entities or ():
            if isinstance(entity, RegisterEventHandler):
                self._on_exit.append(entity)
            elif not isinstance(entity, Node):
                self._visit(entity.visit(self._context))
            elif entity.condition is None or entity.condition.evaluate(self._context):
                self._kept.append(entity)
                self.nodes.append(self._started(entity))

    def _started(self, node: Node) -> Started:
        """Now, since what an argument is worth ends with the group that it is in."""
        node._perform_substitutions(self._context)
        self._context.extend_locals({'ros_specific_arguments': {'name': '', 'ns': ''}})
        words = [perform_substitutions(self._context, list(word)) for word in node.cmd[1:]]
        files = [Path(word).read_text('utf-8') for word in words if Path(word).is_file()]
        return Started(node.node_package, node.node_executable, node.expanded_node_namespace,
                       ' '.join(words) + '\n' + '\n'.join(files),
                       perform_typed_substitution(self._context, node._ExecuteLocal__respawn,
                                                  bool),
                       node._ExecuteLocal__on_exit is not None)

    def exited(self, executable: str, status: int) -> str:
        """Start what follows a node that ended with that status; what is said, if anything."""
        events = [ProcessExited(action=node, name=executable, cmd=[], cwd=None, env=None, pid=1,
                                returncode=status)
                  for node in self._kept if node.node_executable == executable]
        follows = [handler.event_handler.handle(event, self._context)
                   for handler in self._on_exit for event in events
                   if handler.event_handler.matches(event)]
        said = [one for one in follows if isinstance(one, LogInfo)]
        self._visit(one for one in follows if one not in said)
        return ' '.join(perform_substitutions(self._context, one.msg) for one in said)

    def executables(self) -> set[str]:
        return {node.executable for node in self.nodes}

    def command(self, executable: str) -> str:
        (node,) = (n for n in self.nodes if n.executable == executable)
        return node.command

    def given(self, package: str) -> dict[str, str]:
        """The arguments that a package's launch file was given."""
        (node,) = (n for n in self.nodes if n.package == package)
        return dict(re.findall(r'(\S+):=(\S*)', node.command.split('--ros-args')[0]))


@pytest.mark.parametrize('name', sorted(ARGUMENTS))
def test_a_launch_file_lists_its_arguments_with_descriptions(name: str) -> None:
    found = [e for e in description(name).entities if isinstance(e, DeclareLaunchArgument)]
    assert {a.name for a in found} == ARGUMENTS[name]
    assert all(a.description.strip() and a.default_value is not None for a in found)


def test_there_is_no_other_launch_file() -> None:
    assert FILES.keys() == ARGUMENTS.keys()


def test_the_simulation_is_one_world_and_the_agent() -> None:
    run = DryRun('sim', scene='far_cube', namespace='left', model='7')
    assert run.executables() == AGENT | {'sim_node'}
    assert {n.executable for n in run.nodes if n.package == 'replan_agent_sim'} == {'sim_node'}
    assert {n.namespace for n in run.nodes} == {'/left'}
    assert 'scene: far_cube' in run.command('sim_node')
    assert "vlm.model: '7'" in run.command('planner_node')  # text, though it looks like a number


def test_the_page_is_served_beside_the_agent_if_asked_for() -> None:
    run = DryRun('sim', web='true', namespace='left')
    assert run.executables() == AGENT | {'sim_node', 'web'}
    assert run.command('web').startswith('--ros-args')  # nothing before it is for the page
    assert '--enclave /replan_agent/left/web' in run.command('web')
    assert 'web' not in DryRun('robot', use_fake_hardware='true').executables()


def test_a_page_that_cannot_start_does_not_end_the_launch() -> None:
    nodes = DryRun('sim', web='true').nodes
    assert {n.executable for n in nodes if not n.ends_launch} == {'web'}
    assert {n.executable for n in nodes if not n.respawns} == {'sim_node'}


def test_every_node_of_ours_but_the_driver_starts_again_when_it_died() -> None:
    assert {n.executable for n in DryRun('sim').nodes if n.respawns} == AGENT
    assert not any(n.respawns for n in DryRun('sim', respawn='false').nodes)
    arms = DryRun('two_arms', use_fake_hardware='true')
    assert {n.executable for n in arms.nodes if n.respawns} == AGENT


@pytest.mark.parametrize('file', ['sim', 'gazebo'])
def test_a_simulated_arm_keeps_a_stop_as_long_as_its_launch(file: str) -> None:
    kept = [re.findall(r'safety.stop_memory: (\S+)',
                       DryRun(file, **given).command('skill_node'))[-1]
            for given in ({}, {}, {'stop_memory': '/stops'})]
    assert Path(kept[0]).is_dir() and kept[0] != kept[1] and kept[2] == '/stops'


def test_the_agent_beside_a_driver_of_its_own_forgets_no_stop_either() -> None:
    def kept(params: str) -> list[str]:
        return re.findall(r'safety.stop_memory: (\S+)', DryRun(
            'agent', params_file=str(ROOT / 'config' / params)).command('skill_node'))

    assert Path(kept('ros_sim.yaml')[-1]).is_dir()
    assert kept('robot.yaml') == [], 'as in its file'


def test_rviz_shows_our_view_from_the_base_of_the_arm() -> None:
    for name, arguments, frame in (
            ('sim', {'headless': 'false'}, 'panda_link0'),
            ('sim', {'headless': 'false', 'robot_type': 'fr3'}, 'fr3_link0'),
            ('robot', {'rviz': 'true', 'use_fake_hardware': 'true'}, 'fr3_link0'),
            ('gazebo', {'rviz': 'true'}, 'fr3_link0')):
        said = DryRun(name, **arguments).command('rviz2')
        assert re.search(rf'-d \S+/config/replan_agent.rviz -f {frame}', said), name


def test_a_missing_parameter_file_is_named_before_anything_starts() -> None:
    for name in ('agent', 'sim', 'robot', 'gazebo'):
        extra = {'use_fake_hardware': 'true'} if name == 'robot' else {}
        with pytest.raises(FileNotFoundError, match='params_file: no file /nowhere.yaml'):
            DryRun(name, params_file='/nowhere.yaml', **extra)


def test_the_arm_needs_an_address_unless_it_is_fake() -> None:
    with pytest.raises(ValueError, match='robot_ip'):
        DryRun('robot')
    DryRun('robot', use_fake_hardware='true')


@pytest.mark.parametrize('said', ['ture', 'yes'])
def test_a_word_that_is_neither_true_nor_false_does_not_start_the_real_arm(said: str) -> None:
    with pytest.raises(ValueError, match=f"'{said}' is neither true nor false"):
        DryRun('robot', robot_ip='172.16.0.2', use_fake_hardware=said)


def test_a_real_arm_is_brought_up_by_franka_with_our_controllers(workspace: Path) -> None:
    calibration = workspace / 'camera.yaml'
    calibration.write_text('/**: {ros__parameters: {}}\n', 'utf-8')
    run = DryRun('robot', robot_ip='172.16.0.2', calibration=str(calibration),
                 vlm_base_url='http://localhost:1/v1')
    arm = run.given('franka_bringup')
    assert arm['robot_ip'] == '172.16.0.2' and arm['robot_type'] == 'fr3'
    assert arm['use_fake_hardware'] == 'false' and arm['load_gripper'] == 'true'
    assert arm['controllers_yaml'].endswith('config/franka/controllers.yaml')
    assert run.given('franka_fr3_moveit_config')['robot_ip'] == '172.16.0.2'
    assert run.given('realsense2_camera')['align_depth.enable'] == 'true'
    started = AGENT | {'spawner', 'camera_pose_node', 'stand_in', 'doctor'}
    assert run.executables() == started - {'starter_node'}, 'the doctor looks first'
    assert run.exited('doctor', 1) and run.executables() == started - {'starter_node'}
    assert run.exited('doctor', 0) == '' and run.executables() == started
    assert str(calibration) in run.command('camera_pose_node')
    skills = run.command('skill_node')
    assert 'gripper_action: franka_gripper/' in skills, 'of config/franka/names.yaml'
    assert 'robot.model: fr3' in skills and 'max_velocity_scaling_factor: 0.1' in skills
    assert 'vlm.base_url: http://localhost:1/v1' in run.command('planner_node')


def test_the_doctor_looks_with_the_parameters_of_the_nodes_and_goes_on_until_all_is_well(
        workspace: Path) -> None:
    calibration = workspace / 'camera.yaml'
    calibration.write_text('/**: {ros__parameters: {}}\n', 'utf-8')
    run = DryRun('robot', robot_ip='172.16.0.2', robot_type='fr3v2', namespace='left',
                 calibration=str(calibration))
    (doctor,) = (node for node in run.nodes if node.package == 'replan_agent_doctor')
    assert doctor.command.startswith(f'--wait --calibration {calibration} --ros-args')
    assert doctor.namespace == '/left' and not doctor.respawns and doctor.ends_launch
    for said in ('robot.model: fr3v2', 'gripper_action: franka_gripper/', 'max_velocity_scaling'):
        assert said in doctor.command and said in run.command('skill_node')
    assert 'inactive' in run.exited('doctor', -9)


def test_nobody_looks_if_nothing_can_be_hurt_or_a_person_says_so() -> None:
    for name, given in (('sim', {}), ('gazebo', {}), ('agent', {}),
                        ('robot', {'use_fake_hardware': 'true'}),
                        ('robot', {'robot_ip': '172.16.0.2', 'doctor': 'false'}),
                        ('two_arms', {'left_robot_ip': '1.2.3.4', 'right_robot_ip': '1.2.3.5',
                                      'doctor': 'false'})):
        found = DryRun(name, **given).executables()
        assert 'doctor' not in found and 'starter_node' in found, (name, given)


def test_without_the_package_of_the_doctor_it_is_said_before_anything_starts(
        monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr('importlib.util.find_spec', lambda name: None)
    with pytest.raises(ValueError, match='replan_agent_doctor is not installed.*doctor:=false'):
        DryRun('agent', doctor='true')


@pytest.mark.parametrize('robot_type', ['fr3v2', 'fr3v2_1'])
@pytest.mark.parametrize('fake', ['true', 'false'])
def test_an_fr3_of_the_second_generation_has_its_own_names_everywhere(robot_type: str,
                                                                      fake: str) -> None:
    run = DryRun('robot', robot_ip='172.16.0.2', robot_type=robot_type, use_fake_hardware=fake)
    arm = run.given('franka_bringup')
    assert arm['robot_type'] == robot_type
    controllers = Path(arm['controllers_yaml']).read_text('utf-8')
    assert f'{robot_type}_joint7' in controllers and 'fr3_' not in controllers
    assert f'{robot_type}_arm_controller' in run.command('spawner')
    for node in ('skill_node', 'guard_node', 'agent_node'):
        assert f'robot.model: {robot_type}' in run.command(node)
        assert 'fr3_arm' not in run.command(node) and 'fr3_link' not in run.command(node)
    assert 'franka_fr3_moveit_config' not in {n.package for n in run.nodes}


def test_a_camera_on_the_hand_has_its_own_driver_and_frame(workspace: Path) -> None:
    calibration = workspace / 'hand_camera.yaml'
    calibration.write_text('/**: {ros__parameters: {}}\n', 'utf-8')
    run = DryRun('robot', robot_ip='172.16.0.2', eye_in_hand='true', hand_serial_no='123',
                 hand_calibration=str(calibration))
    drivers = [n.command for n in run.nodes if n.package == 'realsense2_camera']
    assert ['camera_name:=hand_camera' in words for words in drivers] == [False, True]
    assert '123' in drivers[1]
    frame = run.command('camera_pose_node')  # that of the fixed one is not given
    assert str(calibration) in frame and "camera_pose: ''" in frame
    for node in ('skill_node', 'perception_node', 'agent_node'):
        assert 'robot.eye_in_hand: true' in run.command(node)
    assert 'eye_in_hand: true' not in DryRun('sim').command('skill_node')


def test_fake_hardware_is_passed_on_with_controllers_it_can_follow() -> None:
    run = DryRun('robot', use_fake_hardware='true', use_moveit='false', use_camera='false')
    arm = run.given('franka_bringup')
    assert arm['use_fake_hardware'] == 'true'
    assert arm['controllers_yaml'].endswith('config/franka/fake_controllers.yaml')
    for node in ('skill_node', 'guard_node'):  # joints only: nothing is felt or gripped
        assert 'external_torques: none' in run.command(node)
        assert 'gripper_driver: none' in run.command(node)
    assert {n.package for n in run.nodes} == {'franka_bringup', 'replan_agent',
                                              'controller_manager'}


@pytest.fixture
def arm_like(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """Writes a small arm that is called over ROS as that file of config/arms says."""
    monkeypatch.syspath_prepend(str(SMALL_ARMS))
    small = importlib.import_module('small_arms')

    def write(name: str) -> str:
        said = yaml.safe_load(small.SIDECAR)
        ros = yaml.safe_load((ROOT / 'config' / 'arms' / f'{name}.yaml').read_text('utf-8'))['ros']
        ros.pop('joints', None)  # a small arm has six
        (workspace / 'arm.urdf').write_text(small.six_joints(), 'utf-8')
        file = workspace / f'my_{name}.yaml'
        file.write_text(yaml.safe_dump({**said, 'ros': ros}), 'utf-8')
        return str(file)

    return write


def test_another_arm_is_brought_up_by_its_driver_with_the_names_of_its_file(
        arm_like: Callable[[str], str]) -> None:
    file = arm_like('ur5e')
    run = DryRun('robot', arm=file, robot_ip='192.168.56.101', use_camera='false')
    assert run.given('ur_robot_driver') == {
        'ur_type': 'ur5e', 'robot_ip': '192.168.56.101', 'use_mock_hardware': 'false',
        'headless_mode': 'true', 'launch_rviz': 'false', 'initial_joint_controller': '',
        'tf_prefix': ''}
    run.exited('doctor', 0)
    assert {n.package for n in run.nodes} == {'ur_robot_driver', 'replan_agent',
                                              'replan_agent_doctor'}
    for name in (*AGENT, 'doctor'):
        said = run.command(name)
        assert f'robot.model: {file}' in said and 'robot.base_frame: base_link' in said
        assert 'fr3_arm_controller' not in said and 'franka_state' not in said
        assert 'max_velocity_scaling_factor: 0.1' in said, 'robot.yaml holds for every arm'


def test_fake_hardware_of_another_arm_is_its_drivers_own(arm_like: Callable[[str], str]) -> None:
    run = DryRun('robot', arm=arm_like('ur5e'), use_fake_hardware='true')
    assert run.given('ur_robot_driver')['use_mock_hardware'] == 'true'
    with pytest.raises(ValueError, match='use_fake_hardware: xarm7_moveit_realmove.launch.py of '
                                         'xarm_moveit_config has none, so the real .* would'):
        DryRun('robot', arm=arm_like('xarm7'), use_fake_hardware='true')


def test_an_arm_whose_file_names_no_bringup_starts_only_the_agent(
        arm_like: Callable[[str], str]) -> None:
    run = DryRun('robot', arm=arm_like('sawyer'), use_camera='false', doctor='false')
    assert run.executables() == AGENT


def test_the_address_of_another_arm_is_asked_for_where_its_bringup_takes_one(
        arm_like: Callable[[str], str]) -> None:
    with pytest.raises(ValueError, match='robot_ip: the address of the arm is needed'):
        DryRun('robot', arm=arm_like('ur5e'))
    DryRun('robot', arm=arm_like('iiwa'), use_camera='false')


def test_another_arm_is_simulated_with_the_frame_of_its_base(
        arm_like: Callable[[str], str]) -> None:
    file = arm_like('ur5e')
    run = DryRun('sim', arm=file, headless='false')
    for name in (*AGENT, 'sim_node'):
        assert f'robot.model: {file}' in run.command(name)
        assert 'robot.base_frame: base_link' in run.command(name)
    assert '-f base_link' in run.command('rviz2')


@pytest.mark.parametrize('file', ARMS, ids=lambda file: file.stem)
def test_the_driver_of_an_arm_gets_only_arguments_that_it_documents(file: Path) -> None:
    bringup = yaml.safe_load(file.read_text('utf-8'))['ros'].get('bringup')
    if bringup is not None:  # Sawyer has no driver for ROS 2
        launch_file, documented = STAND_INS[bringup['package']]
        assert bringup['file'] == launch_file and {*bringup['arguments']} <= {*documented}


def test_a_launch_file_of_others_gets_only_arguments_that_it_documents() -> None:
    """Launch takes any argument silently: a misspelt one would only be missed on the arm."""
    sources = (ROOT / 'launch' / 'robot.launch.py').read_text('utf-8')
    for package in ('franka_bringup', 'franka_fr3_moveit_config', 'realsense2_camera'):
        file, documented = STAND_INS[package]
        (block,) = re.findall(rf"'{file}', {{(.*?)}}\)", sources, re.DOTALL)
        assert set(re.findall(r"'([a-z_.]+)':", block)) <= set(documented), package


def test_two_arms_share_no_name() -> None:
    run = DryRun('two_arms', left_robot_ip='172.16.0.2', right_robot_ip='172.17.0.2')
    for node in run.nodes:  # also those of others
        assert '/tf:=tf' in node.command and '/tf_static:=tf_static' in node.command
    run.exited('doctor', 0)
    ours = [n for n in run.nodes if n.executable in AGENT]
    assert sorted(n.namespace for n in ours) == [
        *['/left'] * len(AGENT), *['/right'] * len(AGENT)]
    left, right = (n.command for n in run.nodes if n.package == 'franka_bringup')
    assert 'robot_ip:=172.16.0.2' in left and 'namespace:=left' in left
    assert 'robot_ip:=172.17.0.2' in right and 'namespace:=right' in right


def test_two_simulated_arms_are_two_worlds_with_their_own_time_and_frames() -> None:
    run = DryRun('two_arms', sim='true', right_scene='far_cube')
    assert sorted(n.namespace for n in run.nodes) == [
        *['/left'] * (len(AGENT) + 1), *['/right'] * (len(AGENT) + 1)]
    assert run.executables() == AGENT | {'sim_node'}
    for node in run.nodes:
        assert '/clock:=clock' in node.command, 'relative: below its namespace'
        assert f'robot.frame_prefix: {node.namespace.strip("/")}/' in node.command
    left, right = (n.command for n in run.nodes if n.executable == 'sim_node')
    assert 'scene: far_cube' in right and 'scene: far_cube' not in left


def test_gazebo_gets_our_world_arm_bridge_and_camera() -> None:
    run = DryRun('gazebo', headless='true')
    gazebo = run.command('stand_in')
    assert re.search(r'gz_args:=-r -s --headless-rendering \S+config/tabletop.sdf', gazebo)
    arm = run.command('robot_state_publisher')
    assert 'config/franka.urdf.xacro' in arm and 'robot_type:=fr3' in arm
    assert re.search(r'controllers:=\S+config/controllers.yaml', arm)
    assert 'joint_state_broadcaster fr3_arm_controller fr3_gripper' in run.command('spawner')
    assert 'config/bridge.yaml' in run.command('parameter_bridge')
    assert 'config/camera.yaml' in run.command('camera_pose_node')
    assert AGENT <= run.executables()
    for name in AGENT:
        assert 'use_sim_time: true' in run.command(name)
