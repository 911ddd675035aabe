# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Protection of a real arm: required limits, watchdogs, a stop that survives a restart.

The arm is the stand-in of fake_driver.py.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from fake_driver import FakeDriver
from rclpy.node import Node
from rclpy.parameter import Parameter
from replan_agent_interfaces.action import ExecuteSkill
from replan_agent_interfaces.msg import Heartbeat
from rig import WAIT_S, finished, until
from sensor_msgs.msg import CameraInfo, JointState
from stand_ins import SEEN
from std_srvs.srv import Trigger

from replan_agent.arms.franka import FR3
from replan_agent.domain.config import ConfigError
from replan_agent.domain.plan import Step
from replan_agent.ros.arm.arm_interfaces import ArmInterfaces
from replan_agent.ros.arm.joint_states import JointFeed, RobotSilent
from replan_agent.ros.messages.call_messages import skill_call_to_msg
from replan_agent.ros.messages.message_fields import id_to_msg
from replan_agent.ros.nodes.skill_node import SkillNode
from replan_agent.ros.rclpy_tools.action_client import SteadyActionClient
from replan_agent.ros.rclpy_tools.node_process import Spinning, destroy
from replan_agent.ros.rclpy_tools.qos import HEARTBEAT
from replan_agent.ros.rclpy_tools.waiting import every
from replan_agent.ros.safety.arm_guard import NOT_HOMED, SilenceWatch
from replan_agent.ros.safety.safety_settings import LIMITS, SafetyConfig
from replan_agent.ros.safety.stop_latch import StillStopped, StopLatch, StopReason, WatchdogConfig

CONFIG = Path(__file__).resolve().parents[2] / 'config'
Result = ExecuteSkill.Result
HOME = Step(1, 'home')


def skill_node(memory: Path, **more: Any) -> SkillNode:
    """A node as robot.launch.py starts it, its own memory, and timeouts for a busy machine."""
    values = {'safety.stop_memory': str(memory), 'safety.joint_states_timeout': 30.0,
              'safety.camera_timeout': 30.0, 'watchdog.heartbeat_timeout': 30.0,
              'driver_silence': 30.0, 'server_timeout': 20.0, 'standstill_timeout': 20.0, **more}
    overrides = [Parameter(name, value=value) for name, value in values.items()]
    files = (CONFIG / 'franka' / 'names.yaml', CONFIG / 'robot.yaml')
    return SkillNode(cli_args=['--ros-args', *(word for file in files for word in
                                               ('--params-file', str(file)))],
                     parameter_overrides=overrides)


class Outside(Node):
    """All other nodes: the agent's heartbeat, the camera, a caller, a reader of diagnostics."""

    def __init__(self) -> None:
        super().__init__('outside')
        self.beating = self.filming = True
        self.latch = DiagnosticStatus()
        self._heart = self.create_publisher(Heartbeat, 'heartbeat', HEARTBEAT)
        self._camera = self.create_publisher(CameraInfo, 'camera/color/camera_info', 1)
        self._skills = SteadyActionClient(self, ExecuteSkill, 'execute_skill')
        self.create_subscription(DiagnosticArray, '/diagnostics', self._keep, 10)
        every(self, 0.1, self._publish)

    def _publish(self) -> None:
        if self.beating:
            self._heart.publish(Heartbeat())
        if self.filming:
            self._camera.publish(CameraInfo())

    def _keep(self, message: DiagnosticArray) -> None:
        self.latch = message.status[0]

    @property
    def why(self) -> str:
        """Why the arm is stopped, as it is told on /diagnostics."""
        return next(pair.value for pair in self.latch.values if pair.key == 'reason')

    def trigger(self, name: str) -> Trigger.Response:
        client = self.create_client(Trigger, name)
        assert client.wait_for_service(WAIT_S), name
        return finished(client.call_async(Trigger.Request()))

    def execute(self, step: Step = HOME) -> Any:
        """A future of the answer."""
        assert self._skills.wait_for_server(WAIT_S)
        handle = finished(self._skills.send_goal_async(skill_call_to_msg(step, SEEN)))
        return handle.get_result_async()


def stopped(latch: StopLatch) -> StopReason | None:
    return latch.stopped[0] if latch.stopped else None


def has_heard(skills: SkillNode, driver: FakeDriver) -> bool:
    """Whether the node knows where the arm is now."""
    robot = skills._robot
    return robot.state_age_s < 1 and np.allclose(robot.state().joints, driver.joints)


class Cell:
    def __init__(self, memory: Path, **more: Any) -> None:
        self.memory, self.driver, self.outside = memory, FakeDriver(), Outside()
        self.skills = skill_node(memory, **more)

    def motion_under_way(self) -> Any:
        """A future of the answer to `home`, once the arm moves."""
        self.driver.joints = self.driver.joints + 0.1
        self.driver.hold = True
        until(lambda: self.outside.latch.name != '')
        until(lambda: has_heard(self.skills, self.driver))
        answer = self.outside.execute()
        assert self.driver.moving.wait(WAIT_S), 'the arm does not move'
        return answer


@pytest.fixture
def cell(ros: Any, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Cell]:
    made = Cell(tmp_path, **getattr(request, 'param', {}))
    with Spinning([made.driver, made.outside, made.skills]):
        yield made
        made.driver.hold, made.driver.telling = False, True


@pytest.mark.parametrize('missing', [LIMITS[0], LIMITS[7], 'watchdog.heartbeat_timeout'])
def test_a_real_arm_does_not_start_without_its_limits(ros: Any, missing: str) -> None:
    given = {name: -0.5 if name.endswith('_min') else 0.5 for name in LIMITS if name != missing}
    overrides = [Parameter(name, value=value) for name, value in given.items()]
    with pytest.raises(ConfigError, match=f'missing: {missing} '):
        SkillNode(parameter_overrides=overrides)


def test_a_simulated_arm_starts_without_limits(ros: Any) -> None:
    node = SkillNode(parameter_overrides=[Parameter('safety.driver', value='sim'),
                                          Parameter('safety.stop_memory', value='')])
    until(lambda: 'execute_skill/_action/send_goal' in str(
        node.get_service_names_and_types_by_node(node.get_name(), node.get_namespace())))
    destroy(node)


@pytest.mark.parametrize('cell', [{'safety.camera_timeout': 3.0}], indirect=True)
def test_camera_silence_stops_a_moving_arm_and_diagnostics_say_so(cell: Cell) -> None:
    answer = cell.motion_under_way()
    cell.outside.filming = False
    result = finished(answer).result
    assert result.error_code == Result.STOPPED
    assert cell.driver.speed == 0.0
    until(lambda: cell.outside.latch.level == DiagnosticStatus.ERROR)
    assert cell.outside.why == StopReason.CAMERA_SILENT.value


@pytest.mark.parametrize('cell', [{'safety.joint_states_timeout': 1.5}], indirect=True)
def test_external_torques_that_go_silent_in_a_motion_stop_the_arm(cell: Cell) -> None:
    until(lambda: cell.skills._robot.torques_age_s < 1)
    answer = cell.motion_under_way()
    cell.driver.feeling = False
    assert finished(answer).result.error_code == Result.STOPPED
    assert 'external torques' in cell.skills._latch.refusal()


@pytest.mark.parametrize('cell', [{'safety.joint_states_timeout': 1.5}], indirect=True)
def test_joint_state_silence_stops_a_moving_arm(cell: Cell) -> None:
    answer = cell.motion_under_way()
    cell.driver.telling = False
    until(lambda: cell.outside.latch.level == DiagnosticStatus.ERROR)
    assert cell.outside.why == StopReason.JOINTS_SILENT.value
    until(lambda: cell.driver.speed == 0.0)  # the motion was cancelled
    cell.driver.telling = True
    finished(answer)


def test_a_reflex_is_latched_until_a_person_has_recovered_it_and_reset_the_stop(
        cell: Cell) -> None:
    answer = cell.motion_under_way()
    cell.driver.errors = ('joint_reflex',)
    result = finished(answer).result
    assert result.error_code == Result.IN_COLLISION and 'joint_reflex' in result.error_msg
    cell.driver.hold = False
    again = finished(cell.outside.execute()).result
    assert again.error_code == Result.STOPPED and 'joint_reflex' in again.error_msg
    early = cell.outside.trigger('reset_stop')
    assert not early.success and early.message.endswith(StillStopped.ARM_ERROR.value)
    assert stopped(cell.skills._latch) is StopReason.SELF_STOP
    assert cell.driver.recoveries == 0
    assert cell.outside.trigger('recover_error').success and cell.driver.recoveries == 1
    until(lambda: cell.skills._robot.errors.stop is None)
    assert finished(cell.outside.execute()).result.error_code == Result.STOPPED
    assert cell.outside.trigger('reset_stop').success
    moved = threading.Event()
    cell.driver.moving = moved
    finished(cell.outside.execute())
    assert moved.is_set()


@pytest.mark.parametrize('cell', [{'driver_silence': 2.0, 'safety.joint_states_timeout': 1.0,
                                   'server_timeout': 1.0}], indirect=True)
def test_a_skill_whose_driver_dies_ends_as_stopped_and_names_the_driver(cell: Cell) -> None:
    answer = cell.motion_under_way()
    cell.driver.telling = False
    cell.driver.obeying.clear()
    result = finished(answer).result
    assert result.error_code == Result.STOPPED
    for named in ('joint states', 'NOT confirmed', 'driver'):
        assert named in result.error_msg
    assert finished(cell.outside.execute()).result.error_code == Result.STOPPED
    cell.driver.obeying.set()


@pytest.mark.parametrize('cell', [{'driver_silence': 2.0}], indirect=True)
def test_a_driver_that_is_gone_is_named_and_a_stop_is_not_released_before_it_is_back(
        cell: Cell) -> None:
    until(lambda: has_heard(cell.skills, cell.driver))
    cell.driver.telling = False
    until(lambda: cell.skills._robot.fell_silent)
    answer = cell.outside.trigger('stop')
    assert not answer.success and 'silent' in answer.message
    early = cell.outside.trigger('reset_stop')
    assert not early.success and early.message.endswith(StillStopped.DRIVER_SILENT.value)
    cell.driver.telling = True
    until(lambda: not cell.skills._robot.fell_silent)
    assert cell.outside.trigger('reset_stop').success


def test_a_stop_is_not_released_while_the_arm_moves(cell: Cell) -> None:
    until(lambda: has_heard(cell.skills, cell.driver))
    assert cell.outside.trigger('stop').success
    cell.driver.speed = 0.3
    until(lambda: cell.skills._robot.state().velocities.max() > 0.1)
    early = cell.outside.trigger('reset_stop')
    assert not early.success and 'no standstill' in early.message
    cell.driver.speed = 0.0
    until(lambda: cell.skills._robot.state().velocities.max() == 0.0)
    assert cell.outside.trigger('reset_stop').success


def test_a_stop_is_not_released_while_another_one_is_under_way(ros: Any) -> None:
    node, answers = ros.create_node('latched'), []
    latch = StopLatch(node, lambda: answers.append(latch._on_reset()), lambda: False)
    latch.engage(StopReason.BUG, 'a test')
    assert not answers[0].success and latch.latched
    assert answers[0].message.endswith(StillStopped.STOP_UNDER_WAY.value)
    destroy(node)


def test_a_deactivation_stops_a_gripper_that_is_being_homed(
        ros: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    node = skill_node(tmp_path, standstill_timeout=0.5)
    monkeypatch.setattr(node._server, 'end', lambda reason, timeout_s: True)
    with node._robot._one_command:
        node.end_work()
    assert stopped(node._latch) is StopReason.GRIPPER_MOVED
    destroy(node)


def test_the_camera_is_heard_during_a_change_of_the_nodes_state(ros: Any) -> None:
    node, outside, heard = ros.create_node('changing'), Outside(), threading.Event()
    watch = SilenceWatch(node, StopLatch(node, lambda: None, lambda: True), lambda: True,
                         lambda: 0.0, SafetyConfig(camera_timeout=60.0))

    def change_state() -> None:
        timer.cancel()
        before = watch._seen
        until(lambda: watch._seen > before)
        heard.set()

    timer = node.create_timer(0.01, change_state)  # in the default group, as rclpy's service
    with Spinning([node, outside]):
        assert heard.wait(WAIT_S)


def test_a_skill_that_runs_on_after_a_deactivation_engages_the_latch(
        ros: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    node = skill_node(tmp_path, standstill_timeout=0.5)
    monkeypatch.setattr(node._server, 'end', lambda reason, timeout_s: False)
    node.end_work()
    assert stopped(node._latch) is StopReason.SKILL_RAN_ON
    destroy(node)


@pytest.mark.parametrize('cell', [{'standstill_timeout': 0.5}], indirect=True)
def test_a_cancelled_skill_whose_arm_was_not_seen_at_rest_says_so(cell: Cell) -> None:
    answer = cell.motion_under_way()
    cell.driver.telling = False
    assert cell.skills._server.end('skill_node ends', WAIT_S)
    result = finished(answer).result
    assert result.error_code == Result.CONTROLLER_ABORTED
    assert result.error_msg.startswith('skill_node ends; standstill NOT confirmed: no standstill')


def test_a_stop_survives_a_restart_of_the_node(cell: Cell) -> None:
    assert cell.outside.trigger('stop').success
    (kept,) = cell.memory.iterdir()
    why = kept.read_text('utf-8').strip()
    assert cell.skills._latch.stopped == (StopReason.STOP_SERVICE, why)
    reborn = skill_node(cell.memory)
    assert stopped(reborn._latch) is StopReason.BEFORE_RESTART
    assert why and why in reborn._latch.refusal()
    reborn._latch.reset()
    assert not list(cell.memory.iterdir())
    destroy(reborn)


def test_a_motion_that_leads_further_out_of_the_workspace_is_not_sent(ros: Any,
                                                                     tmp_path: Path) -> None:
    """Home is outside of this box. The planner may notice it; the gate always does."""
    driver, outside = FakeDriver(), Outside()
    skills = skill_node(tmp_path, **{'workspace.z_max': 0.4})
    with Spinning([driver, outside, skills]):
        driver.joints = driver.joints + 0.3  # lower than home, and outside too
        until(lambda: has_heard(skills, driver))
        result = finished(outside.execute()).result
    assert result.error_code in (Result.IN_COLLISION, Result.WORKSPACE_VIOLATION)
    assert 'workspace' in result.error_msg
    assert not driver.goals


def test_the_gripper_is_not_homed_while_a_skill_runs(cell: Cell) -> None:
    answer = cell.motion_under_way()
    refused = cell.outside.trigger('home_gripper')
    assert not refused.success and refused.message == NOT_HOMED
    cell.driver.hold = False
    finished(answer)


@pytest.mark.parametrize(('moving', 'beats', 'latched'), [
    (True, ['01', '01'], False), (True, ['01', '02'], True), (False, ['01', '02'], False)])
def test_an_agent_that_starts_again_while_the_arm_moves_stops_the_arm(
        ros: Any, moving: bool, beats: list[str], latched: bool) -> None:
    node, stops = ros.create_node('latched'), []
    latch = StopLatch(node, lambda: stops.append('stop'), lambda: moving)
    for beat in beats:
        latch._on_beat(Heartbeat(process=id_to_msg(beat * 16)))
    assert stops == (['stop'] if latched else [])
    assert stopped(latch) is (StopReason.AGENT_RESTARTED if latched else None)
    destroy(node)


def test_a_node_that_was_frozen_blames_itself_and_nobody_else(ros: Any) -> None:
    node = ros.create_node('frozen')
    heart = StopLatch(node, lambda: None, lambda: True, WatchdogConfig(heartbeat_timeout=60.0))
    camera = StopLatch(node, lambda: None, lambda: True, prefix='second/')
    watch = SilenceWatch(node, camera, lambda: True, {'joint states': lambda: 0.0},
                         SafetyConfig(camera_timeout=60.0))
    feed = JointFeed(node, ('joint',), (), ArmInterfaces().of(FR3))
    heart._last_beat = watch._seen = feed._listening = time.monotonic() - 100.0
    for pause in (heart._pause, watch._pause, feed._pause):
        pause.looked -= 100.0
    heart._check()
    watch._check()
    for latch in (heart, camera):
        assert stopped(latch) is StopReason.OWN_PAUSE
    assert feed.fell_silent == ''
    feed._leave_out_pause()
    assert feed.fell_silent == ''
    destroy(node)


@pytest.mark.parametrize('bad', ['joint', 'finger'])
def test_a_position_that_is_not_a_number_did_not_arrive(ros: Any, bad: str) -> None:
    node = ros.create_node('listens')
    feed = JointFeed(node, ('joint',), ('finger',), ArmInterfaces(server_timeout=0.1).of(FR3))
    names, good = ['joint', 'finger'], [0.1, 0.02]
    odd = [float('nan') if name == bad else value for name, value in zip(names, good)]
    feed._on_joints(JointState(name=names, position=odd))
    with pytest.raises(RobotSilent):
        feed.state()
    feed._on_joints(JointState(name=names, position=good))
    assert (feed.state().joints[0], feed.state().gripper_width) == (0.1, 0.02)
    destroy(node)


@pytest.mark.parametrize('bad', ['joint1', 'finger1'])
def test_beside_a_position_that_is_not_a_number_no_other_is_kept(ros: Any, bad: str) -> None:
    node = ros.create_node('listens')
    feed = JointFeed(node, ('joint1', 'joint2'), ('finger1', 'finger2'), ArmInterfaces().of(FR3))
    names = ['joint1', 'joint2', 'finger1', 'finger2']
    feed._on_joints(JointState(name=names, position=[0.1, 0.1, 0.01, 0.01]))
    feed._on_joints(JointState(name=names, position=[
        float('nan') if name == bad else value
        for name, value in zip(names, [0.2, 0.2, 0.02, 0.02])]))
    state = feed.state()
    of_arm = bad == 'joint1'
    assert state.joints.tolist() == ([0.1, 0.1] if of_arm else [0.2, 0.2])
    assert state.gripper_width == pytest.approx(0.04 if of_arm else 0.02)
    destroy(node)


def test_a_torque_that_is_not_a_number_is_heard_but_not_kept(ros: Any) -> None:
    node = ros.create_node('listens')
    feed = JointFeed(node, ('joint1', 'joint2'), (), ArmInterfaces().of(FR3))
    heard: list[list[float]] = []
    feed.on_torques(lambda torques: heard.append(torques.tolist()))
    names = ['joint1', 'joint2']
    feed._on_torques(JointState(name=names, effort=[1.0, 2.0]))
    arrived = feed._torques_arrived
    feed._on_torques(JointState(name=names, effort=[3.0, float('nan')]))
    assert heard[0] == [1.0, 2.0] and heard[1][0] == 3.0 and np.isnan(heard[1][1])
    assert feed._torques.tolist() == [1.0, 2.0] and feed._torques_arrived == arrived
    destroy(node)


def test_a_stop_is_not_reset_before_the_stopped_skill_has_ended(ros: Any) -> None:
    node, under_way = ros.create_node('latched'), True
    latch = StopLatch(node, lambda: None, lambda: under_way)
    latch.engage(StopReason.BUG, 'a test')
    early = latch._on_reset()
    assert not early.success and latch.latched
    assert early.message.endswith(StillStopped.COMMAND_RUNS.value)
    under_way = False
    assert latch._on_reset().success
    destroy(node)
