# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The doctor in a cell that is well, and in cells where one thing is wrong."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from fake_driver import CONTROLLERS, FakeDriver
from geometry_msgs.msg import PoseStamped, TransformStamped
from rclpy.duration import Duration
from rclpy.node import Node
from replan_agent_doctor.doctor import Doctor, examine
from replan_agent_doctor.findings import Finding, Verdict
from replan_agent_doctor.machine_checks import calibration, middleware
from rig import until
from sensor_msgs.msg import CameraInfo, Image
from std_msgs.msg import Header, String

from replan_agent.ros.rclpy_tools.node_process import Spinning
from replan_agent.ros.rclpy_tools.qos import LATCHED
from replan_agent.ros.rclpy_tools.waiting import every

CONFIG = Path(__file__).resolve().parents[4] / 'config'


class Camera(Node):
    def __init__(self, depth_width: int = 64, frame: str = 'fr3_link0',
                 late_s: float = 0.0) -> None:
        super().__init__('camera')
        self._widths, self._late = (64, depth_width), Duration(seconds=late_s)
        self._images = [self.create_publisher(Image, topic, 1) for topic in (
            'camera/color/image_raw', 'camera/aligned_depth_to_color/image_raw')]
        self._info = self.create_publisher(CameraInfo, 'camera/color/camera_info', 1)
        self._pose = self.create_publisher(PoseStamped, 'camera/pose', LATCHED)
        self._pose.publish(PoseStamped(header=Header(frame_id=frame)))
        every(self, 0.05, self._publish)

    def _publish(self) -> None:
        for publisher, width in zip(self._images, self._widths):
            stamp = (self.get_clock().now() - self._late).to_msg()
            publisher.publish(Image(header=Header(frame_id='lens', stamp=stamp), width=width,
                                    height=48))
        self._info.publish(CameraInfo())


def files(*more: str) -> list[str]:
    return ['--ros-args', *(word for name in ('franka/names.yaml', 'robot.yaml')
                            for word in ('--params-file', str(CONFIG / name))), *more]


def examined(driver: FakeDriver, camera: Camera, tmp_path: Path, *more: str,
             calibration: str = '') -> dict[str, Finding]:
    doctor = Doctor(cli_args=files('-p', f'tasks.runs:={tmp_path}', '-p',
                                   f'safety.stop_memory:={tmp_path}', *more))
    with Spinning([driver, camera, doctor]):
        until(lambda: doctor._joints.rate and doctor._pose._last)
        time.sleep(1.0)
        return {f'{one.what} {one.seen}' if one.what == 'camera' else one.what: one
                for one in doctor.findings(calibration)}


def wrong(findings: dict[str, Finding]) -> dict[str, Finding]:
    return {what: one for what, one in findings.items() if one.verdict is Verdict.WRONG}


def steady(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine sends less often than an arm does."""
    for name in ('JOINTS_HZ', 'TORQUES_HZ', 'PICTURES_HZ'):
        monkeypatch.setattr(f'replan_agent_doctor.doctor.{name}', 1.0)
    monkeypatch.setattr('replan_agent_doctor.doctor.CLOCK_S', 30.0)


def test_a_cell_that_is_well_has_nothing_wrong(ros: Any, tmp_path: Path,
                                               monkeypatch: pytest.MonkeyPatch) -> None:
    steady(monkeypatch)
    calibration = tmp_path / 'camera.yaml'
    calibration.touch()
    findings = examined(FakeDriver(), Camera(), tmp_path, calibration=str(calibration))
    assert wrong(findings) == {}
    assert {'middleware', 'versions', 'limits', 'stop', 'disk', 'joint states', 'fingers',
            'external torques', 'clock', 'actions', 'controllers', 'depth', 'camera clock',
            'camera pose', 'calibration'} <= set(findings)


def test_what_is_wrong_in_a_cell_is_named_with_what_to_do(
        ros: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steady(monkeypatch)
    driver = FakeDriver(fake_hardware=True)  # no gripper actions, no torques
    driver.controllers = {CONTROLLERS[0]: 'inactive'}
    (tmp_path / 'skill_node.stopped').write_text('the stop service was called\n')
    old = tmp_path / 'camera.yaml'
    old.touch()
    os.utime(old, (0, 0))
    findings = wrong(examined(driver, Camera(depth_width=32, frame='map'), tmp_path,
                              calibration=str(old)))
    assert set(findings) == {'stop', 'external torques', 'actions', 'controllers', 'depth',
                             'camera pose', 'calibration'}
    assert all(one.do for one in findings.values())
    assert 'inactive' in findings['controllers'].seen
    assert 'franka_gripper/move' in findings['actions'].seen


def test_pictures_with_another_clock_are_wrong(ros: Any, tmp_path: Path,
                                               monkeypatch: pytest.MonkeyPatch) -> None:
    steady(monkeypatch)
    findings = wrong(examined(FakeDriver(), Camera(late_s=3600.0), tmp_path))
    assert set(findings) == {'camera clock'}
    assert 'pictures are 3600.' in findings['camera clock'].seen


@pytest.mark.parametrize(('others', 'is_there', 'environment', 'told'), [
    (['/skill_node', '/left/skill_node', '/rviz', '/rviz'], True, {}, ''),
    (['/skill_node', '/skill_node'], True, {}, 'two nodes are called /skill_node'),
    (['/skill_node'], False, {}, 'ROS_DOMAIN_ID and RMW_IMPLEMENTATION'),
    (['/driver'], True, {'ROS_LOCALHOST_ONLY': '1'}, ''),
    ([], False, {'ROS_LOCALHOST_ONLY': '1'}, 'hides other machines (LOCALHOST)'),
    ([], False, {'ROS_AUTOMATIC_DISCOVERY_RANGE': 'OFF'}, 'hides other machines (OFF)'),
])
def test_the_middleware_is_wrong_where_it_hides_the_driver_or_has_two_graphs(
        others: list[str], is_there: bool, environment: dict[str, str], told: str,
        monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ('ROS_LOCALHOST_ONLY', 'ROS_AUTOMATIC_DISCOVERY_RANGE'):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv('ROS_DOMAIN_ID', '17')
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    one = middleware(others, is_there)
    assert one.verdict is (Verdict.WRONG if told else Verdict.OK) and bool(one.do) == bool(told)
    assert 'ROS_DOMAIN_ID 17' in one.seen and 'rmw_' in one.seen
    assert told in f'{one.seen} {one.do}'
    if 'hides' not in told:
        assert 'hides' not in one.do


@pytest.mark.parametrize(('days', 'copied', 'verdict'), [
    (10, False, Verdict.OK), (200, True, Verdict.WRONG), (-3, False, Verdict.WRONG)])
def test_a_calibration_is_as_old_as_the_day_that_it_names(
        tmp_path: Path, days: int, copied: bool, verdict: Verdict) -> None:
    file, day = tmp_path / 'camera.yaml', date.today() - timedelta(days=days)
    file.write_text(f'# Camera pose of replan-agent calibrate on {day}: 20 views\n/**:\n')
    if not copied:
        os.utime(file, (0, 0))
    one = calibration(str(file))
    assert one.verdict is verdict and f'{days} days old (it names {day})' in one.seen


def test_a_calibration_without_a_day_is_as_old_as_its_file_and_says_so(tmp_path: Path) -> None:
    file = tmp_path / 'camera.yaml'
    file.write_text('# of 2026-99-99\n/**:\n  x: 1  # 2001-01-01\n')
    assert 'is 0 days old (the time of the file' in calibration(str(file)).seen
    os.utime(file, (0, 0))
    assert calibration(str(file)).verdict is Verdict.WRONG


@pytest.mark.parametrize('known', [True, False])
def test_without_a_topic_for_it_the_place_of_the_camera_is_looked_up_in_tf(
        ros: Any, tmp_path: Path, known: bool) -> None:
    doctor = Doctor(cli_args=files('-p', "camera_pose:=''", '-p',
                                   f'safety.stop_memory:={tmp_path}'))
    with Spinning([Camera(), doctor]):
        until(lambda: all(heard.last for heard in doctor._pictures.values()))
        if known:
            doctor._pose._buffer.set_transform_static(TransformStamped(
                header=Header(frame_id='fr3_link0'), child_frame_id='lens'), 'test')
        (pose,) = (one for one in doctor.findings() if one.what == 'camera pose')
    assert (pose.verdict is Verdict.OK) is known and 'lens' in pose.seen + pose.do


def test_versions_are_those_of_ros_and_of_its_installed_packages(
        ros: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    share = tmp_path / 'share' / 'franka_hardware'
    share.mkdir(parents=True)
    (share / 'package.xml').write_text('<package><version>3.4.0</version></package>')
    monkeypatch.setenv('AMENT_PREFIX_PATH', str(tmp_path))
    monkeypatch.setenv('ROS_DISTRO', 'jazzy')
    doctor = Doctor(cli_args=files('-p', f'safety.stop_memory:={tmp_path}'))
    (versions,) = (one for one in doctor.findings() if one.what == 'versions')
    doctor.destroy_node()
    assert 'ROS jazzy' in versions.seen and 'franka_hardware 3.4.0' in versions.seen


@pytest.mark.parametrize('seconds', ['-1', '0', 'nan', 'inf', 'soon'])
def test_a_time_that_is_none_is_wrong_use(
        capsys: pytest.CaptureFixture[str], seconds: str) -> None:
    with pytest.raises(SystemExit) as ended:
        examine(['--seconds', seconds])
    assert ended.value.code == 2
    assert f'{seconds} is not above 0 and at most 3600' in capsys.readouterr().err


def test_a_file_of_parameters_that_is_not_there_is_wrong_use(
        capsys: pytest.CaptureFixture[str]) -> None:
    assert examine(['--ros-args', '--params-file', 'nowhere.yaml']) == 2
    assert "Couldn't parse params file: '--params-file nowhere.yaml'" in capsys.readouterr().err


def test_another_arm_at_the_driver_is_told_by_its_joints(
        ros: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steady(monkeypatch)
    findings = wrong(examined(FakeDriver(), Camera(), tmp_path, '-p', 'robot.model:=panda'))
    assert 'lacks panda_joint1' in findings['joint states'].seen


def test_what_nobody_answers_for_is_not_called_ok(ros: Any, tmp_path: Path) -> None:
    doctor = Doctor(cli_args=files('-p', f'safety.stop_memory:={tmp_path}'),
                    namespace='empty_cell')
    with Spinning([doctor]):
        well = {one.what for one in doctor.findings() if one.verdict is Verdict.OK}
    assert well <= {'versions', 'limits', 'stop', 'disk'}


def test_it_waits_until_nothing_is_wrong_and_says_what_it_waits_for(
        ros: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str]) -> None:
    steady(monkeypatch)
    for name in ('init', 'try_shutdown'):  # the test has started rclpy already
        monkeypatch.setattr(f'replan_agent_doctor.doctor.rclpy.{name}', lambda **_: None)
    driver, looks = FakeDriver(), list[int]()
    driver.controllers = {**driver.controllers, CONTROLLERS[0]: 'inactive'}
    look = Doctor.findings

    def looked(doctor: Doctor, calibration: str) -> list[Finding]:
        looks.append(1)
        if len(looks) == 3:  # after two looks a person activates it
            driver.controllers = {**driver.controllers, CONTROLLERS[0]: 'active'}
        return list(look(doctor, calibration))

    monkeypatch.setattr(Doctor, 'findings', looked)
    monkeypatch.setattr('replan_agent_doctor.doctor.Doctor', lambda: Doctor(cli_args=files(
        '-p', f'tasks.runs:={tmp_path}', '-p', f'safety.stop_memory:={tmp_path}')))
    arm, heard = Node('an_arm_that_waits'), list[str]()
    arm.create_subscription(String, 'starter_node/waits_for', lambda one: heard.append(one.data),
                            LATCHED)
    with Spinning([driver, Camera(), arm]):
        assert examine(['--wait', '--seconds', '2']) == 0
    said = capsys.readouterr().out
    assert len(looks) >= 3
    waits = said.split('nothing is activated before all is well')[:-1]
    assert any('wrong        controllers' in one for one in waits)
    assert len(waits) < len(looks), 'the same is not told twice'
    assert ', 0 wrong' in said.splitlines()[-1]
    assert any('the doctor finds wrong: ' in one and 'controllers' in one for one in heard)
    assert heard[-1] == '', 'nobody waits for it any more'


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_while_it_waits_a_signal_ends_it(number: int) -> None:
    process = subprocess.Popen(
        [sys.executable, '-m', 'replan_agent_doctor.doctor', '--wait', '--seconds', '0.2'],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert any('before all is well' in line for line in process.stdout)
    process.send_signal(number)
    _, problem = process.communicate(timeout=60)
    assert process.returncode == 130 and 'Traceback' not in problem


@pytest.mark.parametrize(('words', 'status'), [(['--nonsense'], 2), (files(
    '-p', 'robot.model:=nonsense'), 2), (['--seconds', '0.2', '--ros-args'], 1)])
def test_the_exit_status_says_how_it_ended(words: list[str], status: int) -> None:
    ended = subprocess.run([sys.executable, '-m', 'replan_agent_doctor.doctor', *words],
                           capture_output=True, text=True, timeout=120)
    assert ended.returncode == status, ended.stderr
    assert (ended.stderr if status == 2 else ended.stdout).strip()
    assert 'Traceback' not in ended.stderr


def test_a_name_that_ros_ignores_is_told_with_the_findings() -> None:
    ended = subprocess.run(
        [sys.executable, '-m', 'replan_agent_doctor.doctor', '--seconds', '0.2', *files(
            '-p', 'workspace.keepout:=[]')], capture_output=True, text=True, timeout=120)
    (line,) = (line for line in ended.stdout.splitlines()
               if line.split()[:2] == ['wrong', 'parameters'])
    assert ended.returncode == 1 and "did you mean 'workspace.keep_out'?" in line
