"""An arm that the test writes, simulated over ROS with the names of a UR5e."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from action_msgs.msg import GoalStatus
from replan_agent_interfaces.msg import Scene as SceneMsg
from replan_agent_sim.all_in_one import all_nodes
from rig import overrides, spun, until
from small_ur import small_ur
from tf2_msgs.msg import TFMessage

from replan_agent.arms.known_arms import arm_named
from replan_agent.ros.rclpy_tools.qos import LATCHED


def test_a_task_is_done_in_the_simulation_with_the_names_of_the_arm(ros: Any,
                                                                    tmp_path: Path) -> None:
    sidecar = small_ur(tmp_path)
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
    assert scenes[-1].arm_model == 'small_ur' and scenes[-1].header.frame_id == 'base_link'
    assert {'elbow_link', 'l_crank', 'small_ur_hand_tcp'} <= set(frames)
    assert set(frames.values()) == {'base_link'}
