# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Arms simulated over ROS with the names of their drivers: one of the test, and real ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from action_msgs.msg import GoalStatus
from foreign_packages import on_path
from replan_agent_interfaces.msg import Scene as SceneMsg
from replan_agent_sim.all_in_one import all_nodes
from rig import overrides, spun, until
from small_ur import UR5E, small_ur
from tf2_msgs.msg import TFMessage

from replan_agent.arms.known_arms import arm_named
from replan_agent.ros.rclpy_tools.qos import LATCHED

ARMS = UR5E.parent
PARTS = {'small_ur': {'elbow_link', 'l_crank'}}  # some frames


@pytest.mark.parametrize('name', ['small_ur', *(pytest.param(
    name, marks=pytest.mark.release) for name in ('xarm7', 'kinova3', 'iiwa'))])
def test_a_task_is_done_in_the_simulation_with_the_names_of_the_arm(
        ros: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    sidecar = small_ur(tmp_path) if name == 'small_ur' else ARMS / f'{name}.yaml'
    if name != 'small_ur':
        on_path(['robosuite'], monkeypatch)
    arm = arm_named(str(sidecar))
    given = overrides(robot__model=str(sidecar), robot__base_frame=arm.ros.base,
                      use_sim_time=True, scene='tabletop')
    listener = ros.create_node('listener')
    frames, scenes = dict[str, str](), list[SceneMsg]()
    listener.create_subscription(TFMessage, '/tf', lambda message: frames.update(
        {one.child_frame_id: one.header.frame_id for one in message.transforms}), 10)
    listener.create_subscription(SceneMsg, 'scene', scenes.append, LATCHED)
    with spun(*all_nodes(parameter_overrides=given), listener) as caller:
        answer = caller.run('pick up the red cube')
        assert answer.status == GoalStatus.STATUS_SUCCEEDED, answer.result.final_detail
        until(lambda: scenes and frames)
    assert scenes[-1].arm_model == name and scenes[-1].header.frame_id == arm.ros.base
    assert {f'{name}_hand_tcp', *PARTS.get(name, ())} <= set(frames)
    assert set(frames.values()) <= {arm.ros.base, *frames} and arm.ros.base not in frames
