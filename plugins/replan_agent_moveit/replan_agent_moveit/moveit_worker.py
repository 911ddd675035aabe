# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The side that has MoveIt: it turns a question into calls of moveit_py, and says what came.

It runs in a process of its own (moveit_process.py), because moveit_py holds Python's lock while it
starts and while it plans, and a wrong call can end its process.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from replan_agent.arms.known_arms import arm_named
from replan_agent.domain.config import ConfigError
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.ros.messages.message_fields import pose_to_msg

from .moveit_arm import MoveItNames
from .moveit_config import CHECKED_SHARE, INSTALL, NODE, OMPL, TOPICS
from .moveit_errors import GOAL_IN_COLLISION, GOAL_STATE_INVALID, SUCCESS
from .moveit_question import MoveItAnswer, Question
from .perceived_scene import PerceivedScene

SPACE_M = (-5.0,) * 3 + (5.0,) * 3  # for mobile bases only; without it every plan warns
SAME_M = 0.003  # the tool of MoveIt's model is where ours is; models of others are rounded
# Joints (rad, from the home position) and shares of an open hand to measure with.
PROBES = ((0.0, 0.0), (0.3, 0.0), (0.0, 1.0))


def start_worker(config: Mapping[str, Any], names: MoveItNames) -> MoveItWorker:
    """Start MoveIt with these parameters. Raises ConfigError if it does not start."""
    from moveit.planning import MoveItPy

    checked = {f'{OMPL}.{names.group}.longest_valid_segment_fraction': CHECKED_SHARE}
    try:
        moveit = MoveItPy(node_name=NODE, config_dict={**config, **checked},
                          provide_planning_service=False, remappings=dict(TOPICS))
    except RuntimeError as error:
        raise ConfigError(f'MoveIt does not start: {error}; it needs {INSTALL}') from None
    return MoveItWorker(moveit, names)


class MoveItWorker:
    """Plans with moveit_py. Raises ConfigError if its model is not the arm that we know."""

    def __init__(self, moveit: Any, names: MoveItNames) -> None:
        self._moveit, self._names, self._arm = moveit, names, arm_named(names.model)
        self._model = moveit.get_robot_model()
        if not self._model.has_joint_model_group(names.group):  # other calls would crash
            raise ConfigError(f'moveit.group: MoveIt has no group {names.group!r}; it has: '
                              f'{", ".join(self._model.joint_model_group_names)}')
        self._group = self._model.get_joint_model_group(names.group)
        self._joints = list(self._group.active_joint_model_names)
        if len(self._joints) != self._arm.joint_count:
            raise ConfigError(f'moveit.group: {names.group!r} has {len(self._joints)} joints, '
                              f'not {self._arm.joint_count}')
        self._component = moveit.get_planning_component(names.group)
        self._component.set_workspace(*SPACE_M)
        self._T_model_base, self._T_tip_tcp = self._measured()

    def plan(self, question: Question) -> MoveItAnswer:
        """What MoveIt says to a question."""
        start, goal = question.start, question.goal
        if goal is not None and not self._group.satisfies_position_bounds(goal):
            return MoveItAnswer(GOAL_STATE_INVALID)
        ends = [start] if goal is None else [start, goal]
        scene = PerceivedScene(self._model, self._names, self._T_tip_tcp, question.request,
                               question.spare_m, ends)
        touched = () if goal is None else scene.touched(goal)
        if touched:
            return MoveItAnswer(GOAL_IN_COLLISION, touched=touched)
        scene.leave(start)
        if goal is not None and scene.collides(goal):  # with itself
            return MoveItAnswer(GOAL_IN_COLLISION)
        if not self._component.set_start_state(robot_state=scene.state(start)):
            raise ConfigError('MoveIt does not take the start state')
        self._set_goal(scene, question)
        answer = self._component.plan(single_plan_parameters=self._parameters(question),
                                      planning_scene=scene.scene)
        code = int(answer.error_code.val)
        return MoveItAnswer(code, self._waypoints(answer) if code == SUCCESS else None)

    def _state(self, joints: FloatArray, width_m: float) -> Any:
        from moveit.core.robot_state import RobotState

        state = RobotState(self._model)
        state.set_to_default_values()
        state.joint_positions = {joint: value for joint, value
                                 in self._names.finger_joints(width_m).items()
                                 if joint in state.joint_positions}
        state.set_joint_group_positions(self._names.group, np.asarray(joints, dtype=float))
        state.update()
        return state

    def _measured(self) -> tuple[FloatArray, FloatArray]:
        """T_model_base, and T_tip_tcp where our tool centre point is."""
        kinematics, found = self._arm.kinematics, []
        for angle, share in PROBES:
            joints = np.array(self._arm.home) + angle
            state = self._state(joints, share * self._arm.hand.max_width_m)
            T_model_base = np.array(state.get_global_link_transform(self._names.base))
            T_model_tip = np.array(state.get_global_link_transform(self._names.tip))
            found.append(np.linalg.inv(T_model_tip) @ T_model_base @ kinematics.forward(joints))
        if np.ptp(found, axis=0).max() > SAME_M:
            raise ConfigError(f'moveit: {self._names.tip} does not move like the hand of our '
                              f'{self._names.model}: tip_link is no link of the hand, or it is a '
                              'finger, or robot_description is of another arm')
        return T_model_base, found[0]

    def _set_goal(self, scene: PerceivedScene, question: Question) -> None:
        if question.goal is not None:
            self._component.set_goal_state(robot_state=scene.state(question.goal))
            return
        from geometry_msgs.msg import PoseStamped

        assert question.target is not None
        T_model_tip = (self._T_model_base @ question.target.matrix()
                       @ np.linalg.inv(self._T_tip_tcp))
        goal = PoseStamped(pose=pose_to_msg(Pose.from_matrix(T_model_tip)))
        goal.header.frame_id = self._model.model_frame
        self._component.set_goal_state(pose_stamped_msg=goal, pose_link=self._names.tip)

    def _parameters(self, question: Question) -> Any:
        from moveit.planning import PlanRequestParameters

        asked = PlanRequestParameters(self._moveit, '')
        asked.planning_pipeline, asked.planner_id = question.pipeline, question.planner_id
        asked.planning_attempts, asked.planning_time = 1, question.time_s
        asked.max_velocity_scaling_factor = question.speed
        asked.max_acceleration_scaling_factor = question.speed
        return asked

    def _waypoints(self, answer: Any) -> FloatArray:
        """The joints of each point, base to tip."""
        message = answer.trajectory.get_robot_trajectory_msg().joint_trajectory
        order = [list(message.joint_names).index(name) for name in self._joints]
        return np.array([[point.positions[k] for k in order] for point in message.points])
