# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""`doctor`: looks at the cell for some seconds and says what is wrong. Nothing moves."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import rclpy
from controller_manager_msgs.srv import ListControllers
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.utilities import remove_ros_args
from sensor_msgs.msg import CameraInfo, Image, JointState
from std_msgs.msg import String

from replan_agent.app.terminal.exits import INTERRUPTED, SUCCESS, TASK_FAILED, WRONG_USE
from replan_agent.arms.known_arms import arm_named
from replan_agent.domain.config import ConfigError, RobotConfig
from replan_agent.ros.arm.arm_interfaces import ArmInterfaces, CameraInterfaces
from replan_agent.ros.arm.arm_stop import CancelAll
from replan_agent.ros.arm.controller_state import ControllerState
from replan_agent.ros.arm.grippers import gripper_kind
from replan_agent.ros.camera.camera_pose import CameraPose, NoTransform, camera_pose
from replan_agent.ros.messages.message_fields import MessageError
from replan_agent.ros.node_settings import TaskSettings
from replan_agent.ros.rclpy_tools.managed_node import WHY
from replan_agent.ros.rclpy_tools.node_process import Spinning
from replan_agent.ros.rclpy_tools.parameters import declared
from replan_agent.ros.rclpy_tools.qos import LATCHED
from replan_agent.ros.safety.safety_settings import SafetyConfig, explicit, require_limits
from replan_agent.ros.safety.stop_memory import StopMemory

from .findings import Finding, as_lines, found, not_checked, summary
from .heard import Heard
from .machine_checks import calibration, disk, middleware, versions
from .parameter_checks import parameters

LISTEN_S, MOST_S = 5.0, 3600.0
JOINTS_HZ, TORQUES_HZ, PICTURES_HZ = 25.0, 50.0, 2.0  # at least
CLOCK_S = 0.5  # between a stamp and this machine's time, at most
SKILL_NODE = 'skill_node'
LATEST = 0  # of TF, as a stamp


@dataclass(frozen=True)
class DoctorSettings:
    robot: RobotConfig = field(default_factory=RobotConfig)
    safety: SafetyConfig = field(default_factory=SafetyConfig)
    tasks: TaskSettings = field(default_factory=TaskSettings)


class Doctor(Node):
    """Listens to what the nodes would listen to, with the parameters that they have."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__('doctor', **kwargs)
        self._limits = explicit(self)
        self._settings = declared(self, DoctorSettings)
        self._arm = arm_named(self._settings.robot.model)
        self._names = declared(self, ArmInterfaces).of(self._arm)
        self._camera = declared(self, CameraInterfaces)
        self._joints = Heard(self, JointState, self._names.joint_states)
        self._fingers = Heard(self, JointState,
                              self._names.finger_states or self._names.joint_states)
        torques = self._names.torques
        self._torques = Heard(self, JointState, torques) if torques else None
        self._pictures = {topic: Heard(self, kind, topic) for topic, kind in (
            (self._camera.color_image, Image), (self._camera.depth_image, Image),
            (self._camera.camera_info, CameraInfo)) if topic}
        self._pose = self._camera_pose()
        self._waits = self.create_publisher(String, WHY, LATCHED)
        self._actions = CancelAll(self, self._arm, self._names)
        self._manager = self.create_client(
            ListControllers, f'{self._names.controller_manager}/list_controllers')
        self._controller = ControllerState(self, self._names.controller_manager,
                                           self._names.trajectory_action, LISTEN_S)

    def tell_waiting(self, wrong: Sequence[str]) -> None:
        """Tell the nodes that are not active what they wait for, as starter_node does later."""
        said = f'the doctor finds wrong: {", ".join(wrong)}' if wrong else ''
        self._waits.publish(String(data=said))

    def listen_again(self) -> None:
        """Look at what comes from now on."""
        for heard in (self._joints, self._fingers, self._torques, *self._pictures.values()):
            if heard:
                heard.listen_again()

    def findings(self, calibrated: str = '') -> Iterator[Finding]:
        """All checks, after the node has listened for a while."""
        yield from self._machine()
        yield from self._driver()
        yield from self._cameras()
        yield calibration(calibrated)

    def _machine(self) -> Iterator[Finding]:
        own, others = self.get_fully_qualified_name(), [
            f'{space.rstrip("/")}/{name}' for name, space in self.get_node_names_and_namespaces()]
        if own in others:
            others.remove(own)
        yield middleware(others, bool(self.count_publishers(self._joints.topic)))
        yield versions()
        safety = self._settings.safety
        try:
            require_limits(safety, self._limits, 'the parameters')
        except ConfigError as error:
            yield found('limits', False, str(error), 'write them in your params_file')
        else:
            yield found('limits', True, f'{len(self._limits)} are explicit; safety.driver is '
                        f'{safety.driver}', '')
        name = f'{self.get_namespace().rstrip("/")}/{SKILL_NODE}'
        kept = StopMemory(safety.stop_memory, name).recall()
        yield found('stop', not kept, kept or 'none from before', 'look at the arm, then call '
                    'reset_stop when skill_node runs')
        yield disk(self._settings.tasks.runs)

    def _driver(self) -> Iterator[Finding]:
        wanted = {'joint states': (self._joints, self._arm.joint_names, JOINTS_HZ)}
        if gripper_kind(self._names.gripper_driver).actions(self._names.gripper_action):
            wanted['fingers'] = (self._fingers, self._arm.ros.gripper.reads, 1.0)
        if self._torques:
            wanted['external torques'] = (self._torques, self._arm.joint_names, TORQUES_HZ)
        else:
            yield not_checked('external torques', 'none are named: contacts are not felt')
        for what, (heard, names, least) in wanted.items():
            yield _joints(what, heard, names, least)
        if self._joints.last:
            yield _clock('clock', 'joint states are', self._joints.late_s)
        missing = self._actions.missing
        yield found('actions', not missing, missing or 'arm and gripper have their servers',
                    'start the driver; is it in this namespace and domain? ros2 action list')
        if not self._manager.service_is_ready():
            yield not_checked('controllers', f'nobody serves {self._manager.srv_name}')
            return
        problem = self._controller.problem()
        yield found('controllers', not problem, problem or 'the one of the arm is active',
                    'ros2 control list_controllers')

    def _cameras(self) -> Iterator[Finding]:
        for topic, heard in self._pictures.items():
            publishers = self.count_publishers(topic)
            yield found('camera', heard.rate >= PICTURES_HZ, f'{topic} at {heard.rate:.1f} Hz',
                        'it has a publisher but sends nothing: is the cable USB 3?' if publishers
                        else 'start the camera driver, or name its topic in params_file')
        colour, depth = (self._pictures.get(topic) for topic in (
            self._camera.color_image, self._camera.depth_image))
        if colour and depth and colour.last and depth.last:
            sizes = [(one.last.width, one.last.height) for one in (colour, depth)]
            yield found('depth', sizes[0] == sizes[1], f'colour {sizes[0]}, depth {sizes[1]}',
                        'registered depth is needed (align_depth.enable of realsense2_camera)')
        if colour and colour.last:
            yield _clock('camera clock', 'pictures are', colour.late_s)
        yield self._place(colour.last.header.frame_id if colour and colour.last else '')

    def _camera_pose(self) -> CameraPose | None:
        try:
            return camera_pose(self, self._camera, self._settings.robot.frame)
        except ImportError:  # only /tf needs tf2_ros
            return None

    def _place(self, frame: str) -> Finding:
        """Whether it is known where the camera of the pictures is: by its topic, or by /tf."""
        base, topic = self._settings.robot.frame, self._camera.camera_pose
        if self._pose is None or not (frame or topic):
            return not_checked('camera pose', 'from /tf, and ' + (
                'no picture came' if self._pose else 'tf2_ros is not installed'))
        try:
            x, y, z = self._pose.at(frame, LATEST).position
        except (NoTransform, MessageError) as error:
            return found('camera pose', False, str(error), (
                f'give robot.launch.py a calibration whose pose is in {base!r}' if topic else
                f'publish the way from {base} to {frame}: robot_state_publisher, or a static '
                'transform of the mount'))
        return found('camera pose', True, f'{topic or "/tf"} has {frame or "it"} at ({x:.2f}, '
                     f'{y:.2f}, {z:.2f}) m in {base}', '')


def _clock(what: str, of: str, late_s: float) -> Finding:
    return found(what, abs(late_s) < CLOCK_S, f'{of} {late_s:.3f} s old when they arrive',
                 'let chrony or PTP set the clocks of both machines; with a simulation set '
                 'use_sim_time')


def _joints(what: str, heard: Heard, names: Sequence[str], least_hz: float) -> Finding:
    missing = [name for name in names if name not in heard.names]
    if heard.last and missing:
        return found(what, False, f'{heard.topic} lacks {", ".join(missing)}; it has: '
                     f'{", ".join(sorted(heard.names)) or "none"}',
                     'robot.model or the topic is that of another arm')
    return found(what, heard.rate >= least_hz, f'{heard.topic} at {heard.rate:.1f} Hz',
                 f'{least_hz:g} Hz are needed: start the driver, or its broadcaster; in '
                 'config/franka/controllers.yaml see the rates')


def _seconds(text: str) -> float:
    try:
        if 0 < float(text) <= MOST_S:
            return float(text)
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f'{text} is not above 0 and at most {MOST_S:g}')


def main() -> None:
    sys.exit(examine(sys.argv[1:]))


def examine(words: Sequence[str]) -> int:
    """Print what was found; returns the exit status."""
    parser = argparse.ArgumentParser(prog='doctor', description=__doc__)
    parser.add_argument('--seconds', type=_seconds, default=LISTEN_S, help='how long it listens')
    parser.add_argument('--calibration', default='', help='file of replan-agent calibrate')
    parser.add_argument('--wait', action='store_true', help='look until nothing is wrong; what is '
                        'wrong is printed again when it is something else')
    try:
        given = parser.parse_args(remove_ros_args(['doctor', *words])[1:])
        rclpy.init(args=['doctor', *words])
    except RuntimeError as error:  # RCLError, which rclpy does not export: a parameter file
        print(error, file=sys.stderr)
        return WRONG_USE
    try:
        node, written = Doctor(), parameters(words)
        with Spinning([node]):
            findings = [written, *_looked(node, given)]
            told: list[str] = []
            while given.wait and (wrong := [one.what for one in findings if one.do]):
                if wrong != told:
                    _tell(findings, 'nothing is activated before all is well')
                    node.tell_waiting(wrong)
                told = wrong
                node.listen_again()
                findings = [written, *_looked(node, given)]
            if told:
                node.tell_waiting(())
    except ConfigError as error:
        print(error, file=sys.stderr)
        return WRONG_USE
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception:
        if rclpy.ok():
            raise
        return INTERRUPTED  # by SIGTERM: whatever is under way breaks
    finally:
        rclpy.try_shutdown()
    _tell(findings)
    return TASK_FAILED if any(one.do for one in findings) else SUCCESS


def _looked(node: Doctor, given: argparse.Namespace) -> list[Finding]:
    """The findings after listening; raises if this process is to end."""
    time.sleep(given.seconds)
    if not rclpy.ok():
        raise ExternalShutdownException
    return list(node.findings(given.calibration))


def _tell(findings: Sequence[Finding], *more: str) -> None:
    print('\n'.join((*as_lines(findings), summary(findings), *more)), flush=True)


if __name__ == '__main__':
    main()
