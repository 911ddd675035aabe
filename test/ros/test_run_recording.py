# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The record of a task over ROS has pictures and motion, and other tools can open it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from rclpy.node import Node
from replan_agent_export.recorded_motion import motion_in
from replan_agent_export.recorded_run import RecordedRun
from replan_agent_export.run_messages import run_messages
from replan_agent_sim.all_in_one import all_nodes
from rig import overrides, spun, until
from sensor_msgs.msg import JointState
from stand_ins import StandInPerception, StandInSkills
from std_msgs.msg import Header

from replan_agent.arms.franka import PANDA
from replan_agent.domain.motion_sample import MotionSample
from replan_agent.ros.arm.arm_interfaces import ArmInterfaces
from replan_agent.ros.arm.joint_trace import JointTrace
from replan_agent.ros.camera import seen_camera
from replan_agent.ros.messages.message_fields import time_to_msg
from replan_agent.ros.nodes.agent_node import AgentNode
from replan_agent.ros.nodes.planner_node import PlannerNode
from replan_agent.ros.rclpy_tools.waiting import every

TASK = 'pick up the red cube'


def lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / 'events.jsonl').open()]


@pytest.mark.release  # slow: a film over an emulated ROS
@pytest.mark.gl
def test_a_run_over_ros_has_pictures_and_motion_and_is_exported(
        ros: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seen_camera, 'OLD_S', 60.0)  # a busy machine draws late
    nodes = all_nodes(parameter_overrides=overrides(
        use_sim_time=True, scene='tabletop', perception='ground_truth', tasks__runs=str(tmp_path),
        realtime_factor=2.0))  # on a quick machine the whole motion would be over in a second
    agent, sim = nodes[-1], nodes[0]
    with spun(*nodes) as caller:
        camera = agent._runner._recording._camera
        until(camera.frame)  # the agent has listened for a while
        folder = Path(caller.run(TASK).result.run_folder)
        joints = sim.robot.state().joints
    events = lines(folder)
    pictured = [event['event'] for event in events if 'picture' in event]
    assert pictured[0] == 'scene_perceived' and pictured[-1] == 'task_finished'
    for event in events:
        if 'picture' in event:
            assert cv2.imread(str(folder / event['picture'])).shape == (480, 640, 3)
    samples = list(motion_in(folder))
    assert len(samples) > 20 and not any('unrecorded' in event for event in events)
    assert max(np.ptp([sample.joints for sample in samples], axis=0)) > 0.1
    assert np.allclose(samples[-1].joints, joints, atol=0.02)
    assert samples[-1].gripper_m == pytest.approx(0.04, abs=0.005)
    times = [sample.robot_s for sample in samples]
    assert times == sorted(times)
    assert events[0]['robot_s'] <= times[-1] <= events[-1]['robot_s'] + 1.0
    topics = {message.topic for message in run_messages(RecordedRun.load(folder))}
    assert topics >= {'/camera/image', '/camera/calibration', '/joint_states', '/tf', '/tf_static',
                      '/scene', '/plan', '/phase', '/log'}


def test_without_a_camera_a_task_runs_as_before(ros: Any, tmp_path: Path) -> None:
    with spun(AgentNode(parameter_overrides=overrides(tasks__runs=str(tmp_path))), PlannerNode(),
              StandInPerception(), StandInSkills()) as caller:
        folder = Path(caller.run(TASK).result.run_folder)
    events = lines(folder)
    assert events[-1]['event'] == 'task_finished' and not (folder / 'pictures').exists()
    assert not any('picture' in event or 'unrecorded' in event for event in events)
    assert list(motion_in(folder)) == [] and run_messages(RecordedRun.load(folder))


def test_joint_states_are_samples_until_the_record_ends(ros: Any) -> None:
    driver, listener = Node('driver'), Node('listener')
    trace = JointTrace(listener, PANDA, ArmInterfaces(joint_states='traced'))
    publisher = driver.create_publisher(JointState, 'traced', 10)
    fingers, sent = PANDA.finger_names, [0]

    def publish() -> None:
        sent[0] += 1
        publisher.publish(JointState(
            header=Header(stamp=time_to_msg(sent[0] * 0.01)),
            name=[*PANDA.joint_names, *fingers], position=[0.1] * 7 + [0.02] * 2))

    samples: list[MotionSample] = []
    every(driver, 0.01, publish)
    with spun(driver, listener):
        end = trace(samples.append, 0.04)
        until(lambda: len(samples) >= 5)
        end()
        count, before = len(samples), sent[0]
        until(lambda: sent[0] > before + 20)
    assert len(samples) == count
    assert samples[0].joints == (0.1,) * 7 and samples[0].gripper_m == pytest.approx(0.04)
    times = [sample.robot_s for sample in samples]
    assert min(np.diff(times)) >= 0.04 - 1e-6
