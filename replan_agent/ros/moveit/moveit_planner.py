"""MoveIt as the motion planner, through moveit_py. It only plans; the robot executes.

Not yet run against MoveIt: written to moveit_py's documented interface and tested on a stand-in.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from replan_agent.domain import franka
from replan_agent.domain.cause import Cause
from replan_agent.domain.config import Config
from replan_agent.domain.context import Context
from replan_agent.domain.keep_out import keep_out_zones
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.scene import SceneObject
from replan_agent.domain.skill import Reason
from replan_agent.motion.easiest import to_easiest_posture
from replan_agent.motion.franka_kinematics import FrankaKinematics
from replan_agent.motion.ik import DISTINCT_RAD, FrankaIK
from replan_agent.motion.motion_protocols import (
    Contact,
    IKOutcome,
    MotionOutcome,
    MotionRequest,
    Postures,
)
from replan_agent.ros.messages.arm_messages import trajectory_from_msg
from replan_agent.ros.messages.message_fields import MessageError, pose_to_msg

from .moveit_config import OMPL, PILZ, MoveItSettings
from .moveit_errors import meaning, sentence

MOST_POSTURES = 8
WAY_SAMPLES = 50  # samples on a blocked path, to find what blocks it
START_IN_COLLISION, GOAL_IN_COLLISION = -10, -12  # of MoveItErrorCodes
GRIPPER = 'gripper'  # the name of the hand and its fingers in allowed contacts


class MoveItPlanner:
    """The MotionPlanner over moveit_py: OMPL around obstacles, Pilz' LIN in straight lines.

    `connect` returns a MoveItPy and is called before the first plan. Forward kinematics and the
    report of a failed solve are ours: MoveIt reports no residual and proves nothing.
    """

    def __init__(self, config: Config, settings: MoveItSettings,
                 connect: Callable[[], Any]) -> None:
        model = config.robot.model
        self._config, self._settings, self._connect = config, settings, connect
        self.motion = config.motion
        self._kinematics = FrankaKinematics(model)
        self._ik = FrankaIK(self._kinematics, config.ik, config.robot.frame)
        self._zones = keep_out_zones(config.workspace)
        self._base, self._fingers = f'{model}_link0', franka.finger_names(model)
        self._hand = tuple(f'{model}_{link}' for link in ('hand', 'leftfinger', 'rightfinger'))
        self._group = settings.group or f'{model}_arm'
        self._tip = settings.tip_link or f'{model}_hand_tcp'

    def forward(self, joints: FloatArray) -> Pose:
        """T_base_tcp."""
        return Pose.from_matrix(self._kinematics.forward(joints))

    def solve_ik(self, target: Pose, near: FloatArray) -> IKOutcome:
        """MoveIt's solution, checked with our kinematics; otherwise ours, or our report."""
        joints = self._solved(target, near)
        return self._ik.solve(target, near) if joints is None else IKOutcome(joints)

    def postures(self, target: Pose, near: FloatArray, request: MotionRequest) -> Postures:
        """Different ways to reach a target without touching anything, nearest to `near` first."""
        found: list[FloatArray] = []
        for seed in (near, *self._ik.alternatives(target, near, MOST_POSTURES)):
            joints = self._solved(target, seed)
            if joints is not None and all(np.abs(joints - other).max() >= DISTINCT_RAD
                                          for other in found):
                found.append(joints)
        found.sort(key=lambda joints: float(np.abs(joints - near).max()))
        scene = self._scene(request)
        free = [joints for joints in found if not self._touches(scene, joints, request)]
        if free or not found:
            return Postures(tuple(free))
        names = self._touched(found[0], request)
        return Postures((), Contact('the arm', _listed(names), 0.0, self._blockers(names)))

    def to_joints(self, start: FloatArray, goal: FloatArray, request: MotionRequest,
                  ctx: Context) -> MotionOutcome:
        """A joint motion around obstacles."""
        ctx.check()
        scene = self._scene(request)
        if self._touches(scene, goal, request):
            names = self._touched(goal, request)
            return MotionOutcome(None, Reason.IN_COLLISION, f'at the goal the arm touches '
                                 f'{_listed(names)}', cause=Cause.APPROACH_BLOCKED,
                                 blockers=self._blockers(names))
        state = self._state(scene, goal, request)
        self._component.set_goal_state(robot_state=state)
        return self._planned(scene, (start, goal), request, (OMPL, self._settings.planner_id), ctx)

    def to_pose(self, start: FloatArray, target: Pose, request: MotionRequest,
                ctx: Context) -> MotionOutcome:
        """The easiest of the postures at `target`, and a joint motion to it."""
        found = to_easiest_posture(self, start, target, request, ctx)
        return self._unreachable(target, start) if found is None else found

    def straight(self, start: FloatArray, target: Pose, request: MotionRequest,
                 ctx: Context) -> MotionOutcome:
        """A straight line of the tool centre point that reaches the end, or fails."""
        ctx.check()
        end = self._solved(target, start)
        if end is None:
            return self._unreachable(target, start)
        from geometry_msgs.msg import PoseStamped

        goal = PoseStamped(pose=pose_to_msg(target))
        goal.header.frame_id = self._base
        self._component.set_goal_state(pose_stamped_msg=goal, pose_link=self._tip)
        return self._planned(self._scene(request), (start, end), request, (PILZ, 'LIN'), ctx)

    @cached_property
    def _moveit(self) -> Any:
        return self._connect()

    @cached_property
    def _component(self) -> Any:
        return self._moveit.get_planning_component(self._group)

    def _scene(self, request: MotionRequest, only: tuple[str, ...] | None = None) -> Any:
        """A planning scene with the perceived objects, the zones, and the held object.

        With `only`, just these things are there, next to the held object.
        """
        from moveit.core.planning_scene import PlanningScene

        from .moveit_scene import attached_object, collision_object

        scene, seen = PlanningScene(self._moveit.get_robot_model()), request.scene
        held = seen.get(seen.held or '') if seen.arm else None
        things = [t for t in (*seen.objects, *self._zones)
                  if only is None or t is held or t.name in only]
        for thing in things:
            if thing is held:
                scene.process_attached_collision_object(
                    object=attached_object(thing, seen, self._tip, self._hand))
            else:
                scene.apply_collision_object(collision_object(thing, self._base))
        self._allow(scene, things, request)
        return scene

    def _allow(self, scene: Any, things: list[SceneObject], request: MotionRequest) -> None:
        """Allow the intended contacts, and those of the base, which stands on something."""
        matrix = scene.allowed_collision_matrix
        pairs = [(self._base, thing.name) for thing in things]
        pairs += [(a, b) for first, second in request.allowed_contacts
                  for a in self._links(first) for b in self._links(second)]
        for a, b in pairs:
            matrix.set_entry(a, b, True)
        scene.allowed_collision_matrix = matrix

    def _links(self, name: str) -> tuple[str, ...]:
        return self._hand if name == GRIPPER else (name,)

    def _state(self, scene: Any, joints: FloatArray, request: MotionRequest) -> Any:
        """A robot state of the scene at these joints, with the attached object."""
        state = copy.deepcopy(scene.current_state)
        arm = request.scene.arm
        width = request.gripper_width
        if width is None:
            width = arm.gripper_width if arm else franka.MAX_GRIPPER_WIDTH_M
        state.joint_positions = {**dict(zip(self._kinematics.limits.names, map(float, joints))),
                                 **{finger: width / 2 for finger in self._fingers}}
        state.update()
        return state

    def _touches(self, scene: Any, joints: FloatArray, request: MotionRequest) -> bool:
        state = self._state(scene, joints, request)
        return bool(scene.is_state_colliding(robot_state=state,
                                             joint_model_group_name=self._group))

    def _touched(self, joints: FloatArray, request: MotionRequest) -> tuple[str, ...]:
        """The names of what the arm touches at these joints; each thing is checked alone.

        Empty if it touches itself or what it holds: that collides whatever else is there.
        """
        if self._touches(self._scene(request, ()), joints, request):
            return ()
        return tuple(
            thing.name for thing in (*request.scene.objects, *self._zones)
            if thing.name != request.scene.held
            and self._touches(self._scene(request, (thing.name,)), joints, request))

    def _blockers(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """The names of scene objects, without keep-out zones."""
        zones = {zone.name for zone in self._zones}
        return tuple(name for name in names if name not in zones)

    def _in_the_way(self, code: int, ends: tuple[FloatArray, FloatArray],
                    request: MotionRequest) -> tuple[str, ...]:
        """What blocks a refused motion; MoveIt does not say it, so contacts are checked here.

        For a blocked path it is the first thing on the straight line between the joints.
        """
        start, goal = ends
        sought = {START_IN_COLLISION: [start], GOAL_IN_COLLISION: [goal]}.get(code)
        if sought is None and meaning(code).reason is Reason.PATH_BLOCKED:
            sought = list(np.linspace(start, goal, WAY_SAMPLES))
        scene = self._scene(request)
        touching = (joints for joints in sought or () if self._touches(scene, joints, request))
        first = next(touching, None)
        return () if first is None else self._blockers(self._touched(first, request))

    def _solved(self, target: Pose, seed: FloatArray) -> FloatArray | None:
        """MoveIt's joints for T_base_tcp, if they reach it by our own kinematics."""
        from moveit.core.robot_state import RobotState

        state = RobotState(self._moveit.get_robot_model())
        state.set_to_default_values()
        state.set_joint_group_positions(self._group, np.asarray(seed, dtype=float))
        state.update()
        T_model_base = np.asarray(state.get_global_link_transform(self._base))
        pose = pose_to_msg(Pose.from_matrix(T_model_base @ target.matrix()))
        if not state.set_from_ik(self._group, pose, self._tip, self._settings.ik_timeout):
            return None
        joints = np.asarray(state.get_joint_group_positions(self._group), dtype=float)
        return joints if self._reaches(joints, target) else None

    def _reaches(self, joints: FloatArray, target: Pose) -> bool:
        T, wanted, ik = self._kinematics.forward(joints), target.matrix(), self._config.ik
        turn = (np.trace(T[:3, :3].T @ wanted[:3, :3]) - 1) / 2
        return (self._kinematics.limits.contain(joints)
                and float(np.linalg.norm(T[:3, 3] - wanted[:3, 3])) <= ik.pos_tol
                and float(np.arccos(np.clip(turn, -1, 1))) <= ik.rot_tol)

    def _unreachable(self, target: Pose, near: FloatArray) -> MotionOutcome:
        report = self._ik.solve(target, near).report
        detail = (report.sentence if report else
                  'MoveIt found no solution although there is one; its kinematics may be '
                  f'configured for another tip than {self._tip}')
        return MotionOutcome(None, Reason.UNREACHABLE, detail, report, Cause.NO_POSTURE)

    def _planned(self, scene: Any, ends: tuple[FloatArray, FloatArray], request: MotionRequest,
                 planner: tuple[str, str], ctx: Context) -> MotionOutcome:
        """Plan to the goal of the component, from the first of `ends`."""
        start, _ = ends
        from moveit.planning import PlanRequestParameters

        self._component.set_start_state(robot_state=self._state(scene, start, request))
        asked, motion = PlanRequestParameters(self._moveit, ''), self.motion
        asked.planning_pipeline, asked.planner_id = planner
        asked.planning_attempts = self._settings.attempts
        asked.planning_time = min(motion.allowed_planning_time, max(0.01, ctx.remaining_s()))
        asked.max_velocity_scaling_factor = motion.max_velocity_scaling_factor * request.speed
        asked.max_acceleration_scaling_factor = (motion.max_acceleration_scaling_factor
                                                 * request.speed)
        answer = self._component.plan(single_plan_parameters=asked, planning_scene=scene)
        ctx.check()
        code = int(answer.error_code.val)
        reason = meaning(code).reason
        if reason is not None:
            names = self._in_the_way(code, ends, request)
            where = f'; in the way: {_listed(names)}' if names else ''
            return MotionOutcome(None, reason, f'{planner[0]}: {sentence(code)}{where}',
                                 cause=meaning(code).cause, blockers=names)
        message = answer.trajectory.get_robot_trajectory_msg().joint_trajectory
        try:
            return MotionOutcome(trajectory_from_msg(message, self._kinematics.limits.names,
                                                     np.asarray(start, dtype=float)))
        except MessageError as error:
            return MotionOutcome(None, Reason.CONTROLLER_ABORTED,
                                 f'MoveIt planned an invalid motion: {error}',
                                 cause=Cause.CONTROLLER_ERROR)


def _listed(names: tuple[str, ...]) -> str:
    return ' and '.join(names) or 'itself or what it holds'
