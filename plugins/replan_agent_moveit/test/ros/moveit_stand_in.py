# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A stand-in of moveit_py's interface (2.12). No MoveIt is behind it.

Names and keywords are those of the real one, and so are its traps: one world for all scenes that
get none, groups that must not be wrong, adapters that are there only if configured. What it
computes is simple: straight joint motions that are checked at their points and not between them,
and collisions of the links' origins and of what is held with primitives, and of a folded arm with
itself. Python's lock is not held during plan(): moveit_workers.py has a worker that holds it.
"""

from __future__ import annotations

import copy
import importlib.util
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import yaml
from builtin_interfaces.msg import Duration
from geometry_msgs.msg import Pose as PoseMsg
from geometry_msgs.msg import PoseStamped
from replan_agent_moveit.borrowed_paths import BorrowedPathPlanner
from replan_agent_moveit.moveit_arm import arm_names
from replan_agent_moveit.moveit_paths import MoveItPaths
from replan_agent_moveit.moveit_question import MoveItAnswer, Question
from replan_agent_moveit.moveit_settings import MoveItSettings
from replan_agent_moveit.moveit_worker import MoveItWorker
from std_msgs.msg import Header
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from replan_agent.arms import franka_numbers as franka
from replan_agent.arms.franka import PANDA
from replan_agent.arms.franka_kinematics import FrankaKinematics
from replan_agent.domain.config import Config
from replan_agent.domain.pose import Pose
from replan_agent.motion.cartesian import LineFollower
from replan_agent.motion.planner import planner_parts
from replan_agent.robot.mujoco.collision import MujocoCollisionChecker
from replan_agent.ros.messages.message_fields import pose_from_msg

KINEMATICS = FrankaKinematics('panda')
NAMES = PANDA.joint_names
GROUP, BASE, HAND = 'panda_arm', 'panda_link0', 'panda_hand'
LINKS = tuple(f'panda_link{i}' for i in range(9)) + (HAND, 'panda_leftfinger', 'panda_rightfinger')
FINGERS = {'panda_leftfinger': ('panda_finger_joint1', 1),
           'panda_rightfinger': ('panda_finger_joint2', -1)}  # joint, and side of the hand
FINGER_M = 0.0584  # of a finger's frame from the hand's
T_WORLD_BASE = np.eye(4)
T_WORLD_BASE[2, 3] = 0.5  # the model's root is not the arm's base
FOLDED_RAD = -2.95  # joint 4 below this: the hand touches the upper arm
FOLDED = ((FOLDED_RAD, HAND), (-2.8, 'panda_leftfinger'))  # and then only a finger
FASTEST_LINE_M_S2 = 0.5  # above it a joint must accelerate too hard
REQUEST_PARAMETERS = ('planner_id', 'planning_pipeline', 'planning_time', 'planning_attempts',
                      'max_velocity_scaling_factor', 'max_acceleration_scaling_factor')
URDF = '<robot name="panda">' + ''.join(f'<link name="{name}"><collision/></link>'
                                        for name in LINKS) + '</robot>'
PARAMETERS = {  # of a move_group like Franka's: one pipeline, which has no name
    'robot_description': URDF, 'robot_description_semantic': '<robot/>',
    'move_group.planning_plugins': ['ompl_interface/OMPLPlanner'],
    'move_group.response_adapters': ['default_planning_response_adapters/'
                                     'AddTimeOptimalParameterization'],
    'start_type_description_service': True, 'use_sim_time': False}


class Crash(BaseException):
    """Where the real one ends the process with a segmentation fault."""


def crash() -> None:
    raise Crash


@dataclass
class SolidPrimitive:
    BOX, SPHERE, CYLINDER = 1, 2, 3
    type: int = 0
    dimensions: list[float] = field(default_factory=list)


@dataclass
class MeshTriangle:
    vertex_indices: Any = ()


@dataclass
class Mesh:
    triangles: list[MeshTriangle] = field(default_factory=list)
    vertices: list[Any] = field(default_factory=list)


@dataclass
class CollisionObject:
    ADD, REMOVE = 0, 1
    header: Header = field(default_factory=Header)
    id: str = ''
    pose: PoseMsg = field(default_factory=PoseMsg)
    meshes: list[Mesh] = field(default_factory=list)
    mesh_poses: list[PoseMsg] = field(default_factory=list)
    primitives: list[SolidPrimitive] = field(default_factory=list)
    primitive_poses: list[PoseMsg] = field(default_factory=list)
    operation: int = 0


@dataclass
class AttachedCollisionObject:
    link_name: str = ''
    object: CollisionObject = field(default_factory=CollisionObject)
    touch_links: list[str] = field(default_factory=list)


class JointModelGroup:
    active_joint_model_names = list(NAMES)

    def satisfies_position_bounds(self, values: np.ndarray, margin: float = 0.0) -> bool:
        return KINEMATICS.limits.contain(values, margin + 1e-9)


class RobotModel:
    model_frame = 'world'
    joint_model_group_names = [GROUP, 'hand']

    def has_joint_model_group(self, joint_model_group_name: str) -> bool:
        return joint_model_group_name in self.joint_model_group_names

    def get_joint_model_group(self, joint_model_group_name: str) -> JointModelGroup:
        _known(joint_model_group_name)
        return JointModelGroup()


def _known(group: str) -> None:
    if group != GROUP:
        crash()


class RobotState:
    def __init__(self, robot_model: RobotModel) -> None:
        assert isinstance(robot_model, RobotModel)
        self.joint_positions_ = dict.fromkeys(
            (*NAMES, 'panda_finger_joint1', 'panda_finger_joint2'), 0.0)
        self.attached: list[AttachedCollisionObject] = []
        self.dirty = True

    @property
    def joint_positions(self) -> dict[str, float]:
        return dict(self.joint_positions_)

    @joint_positions.setter
    def joint_positions(self, positions: dict[str, float]) -> None:
        assert all(type(value) is float for value in positions.values())
        assert set(positions) <= set(self.joint_positions_)
        self.joint_positions_.update(positions)
        self.dirty = True

    def set_to_default_values(self) -> None:
        self.joint_positions = dict(zip(NAMES, map(float, franka.HOME)))

    def set_joint_group_positions(self, joint_model_group_name: str,
                                  position_values: np.ndarray) -> None:
        _known(joint_model_group_name)
        self.joint_positions = dict(zip(NAMES, map(float, position_values)))

    def get_joint_group_positions(self, joint_model_group_name: str) -> np.ndarray:
        _known(joint_model_group_name)
        return np.array([self.joint_positions_[name] for name in NAMES])

    def get_global_link_transform(self, link_name: str) -> np.ndarray:
        assert not self.dirty, 'update() first'
        if link_name == BASE:
            return T_WORLD_BASE
        frames = KINEMATICS.link_frames(self.get_joint_group_positions(GROUP))
        if link_name not in LINKS:
            raise RuntimeError('Invalid link')
        if link_name in (HAND, *FINGERS):
            T_tcp_link = np.eye(4)
            T_tcp_link[2, 3] = -franka.TCP_M
            if link_name != HAND:
                joint, side = FINGERS[link_name]
                T_tcp_link[1:3, 3] += side * self.joint_positions_[joint], FINGER_M
            return T_WORLD_BASE @ frames[-1] @ T_tcp_link
        return T_WORLD_BASE @ frames[LINKS.index(link_name) - 1]

    def update(self, force: bool = False, type: str = 'all') -> None:  # noqa: A002 as documented
        self.dirty = False


class AllowedCollisionMatrix:
    def __init__(self, names: list[str], default_entry: bool = False) -> None:
        self.entries = {frozenset((a, b)): default_entry for a in names for b in names}

    def set_entry(self, name1: str, name2: str, allowed: bool) -> None:
        self.entries[frozenset((name1, name2))] = allowed

    def allows(self, a: str, b: str) -> bool:
        return self.entries.get(frozenset((a, b)), False)


class CollisionRequest:
    joint_model_group_name = ''


class CollisionResult:
    collision = False


class World:
    def __init__(self) -> None:
        self.objects: dict[str, CollisionObject] = {}


class PlanningScene:
    """Its default world is made once, as that of the real one: all scenes without one share it."""

    def __init__(self, robot_model: RobotModel, world: World = World()) -> None:  # noqa: B008
        self.current_state = RobotState(robot_model)
        self.current_state.set_to_default_values()
        self.allowed_collision_matrix = AllowedCollisionMatrix([])
        self.world = world.objects

    def apply_collision_object(self, collision_object_msg: CollisionObject,
                               color_msg: Any = None) -> None:
        assert collision_object_msg.header.frame_id == BASE
        assert collision_object_msg.id not in LINKS
        self.world[collision_object_msg.id] = collision_object_msg

    def process_attached_collision_object(self, object: AttachedCollisionObject) -> bool:  # noqa: A002
        if object.link_name not in LINKS:
            return False
        self.current_state.attached.append(object)
        return True

    def is_state_colliding(self, robot_state: RobotState, joint_model_group_name: str,
                           verbose: bool = False) -> bool:
        _known(joint_model_group_name)
        return self._collides(robot_state, self.allowed_collision_matrix)

    def check_collision(self, collision_request: CollisionRequest,
                        collision_result: CollisionResult, state: RobotState,
                        acm: AllowedCollisionMatrix) -> None:
        _known(collision_request.joint_model_group_name)
        collision_result.collision = self._collides(state, acm)

    def _collides(self, state: RobotState, acm: AllowedCollisionMatrix) -> bool:
        assert not state.dirty
        assert state.attached == self.current_state.attached, 'attached bodies are lost'
        joints = state.get_joint_group_positions(GROUP)
        part = next((part for limit, part in FOLDED if joints[3] < limit), None)
        if part and not acm.allows(part, 'panda_link2'):
            return True
        frames = KINEMATICS.link_frames(joints)
        points = {f'panda_link{k + 1}': frame[:3, 3] for k, frame in enumerate(frames[:8])}
        points[HAND] = frames[-1][:3, 3]
        solid = {link: [point] for link, point in points.items()}
        solid |= {held.object.id: _surface(state, held) for held in state.attached}
        return any(not acm.allows(part, name) and any(inside(point, thing) for point in surface)
                   for name, thing in self.world.items() for part, surface in solid.items())


def _surface(state: RobotState, held: AttachedCollisionObject) -> list[np.ndarray]:
    """The middle and the corners of the boxes around an attached body's primitives."""
    T_base_thing = (np.linalg.inv(T_WORLD_BASE) @ state.get_global_link_transform(held.link_name)
                    @ pose_from_msg(held.object.pose, 'pose').matrix())
    found = []
    for solid, pose in zip(held.object.primitives, held.object.primitive_poses):
        d = solid.dimensions
        half = {SolidPrimitive.BOX: np.array(d) / 2, SolidPrimitive.SPHERE: np.full(3, d[0]),
                SolidPrimitive.CYLINDER: np.array([d[-1], d[-1], d[0] / 2])}[solid.type]
        T = T_base_thing @ pose_from_msg(pose, 'pose').matrix()
        found += [(T @ [*(half * corner), 1.0])[:3]
                  for corner in ((0, 0, 0), *itertools.product((-1, 1), repeat=3))]
    return found


def inside(point: np.ndarray, thing: CollisionObject) -> bool:
    T_base_thing = pose_from_msg(thing.pose, 'pose').matrix()
    for solid, pose in zip(thing.primitives, thing.primitive_poses):
        T = T_base_thing @ pose_from_msg(pose, 'pose').matrix()
        x, y, z = np.linalg.inv(T)[:3] @ [*point, 1.0]
        d = solid.dimensions
        if solid.type == SolidPrimitive.BOX:
            hit = all(abs(v) <= size / 2 for v, size in zip((x, y, z), d))
        elif solid.type == SolidPrimitive.SPHERE:
            hit = np.hypot(np.hypot(x, y), z) <= d[0]
        else:
            hit = np.hypot(x, y) <= d[1] and abs(z) <= d[0] / 2
        if hit:
            return True
    return False


class PlanRequestParameters:
    def __init__(self, moveit_cpp: Any, ns: str) -> None:
        assert isinstance(moveit_cpp, MoveItPy)
        moveit_cpp.warnings += [name for name in REQUEST_PARAMETERS
                                if f'plan_request_params.{name}' not in moveit_cpp.config]
        self.planner_id = self.planning_pipeline = ''
        self.planning_attempts, self.planning_time = 5, 1.0
        self.max_velocity_scaling_factor = self.max_acceleration_scaling_factor = 1.0


@dataclass
class ErrorCode:
    val: int


class RobotTrajectory:
    def __init__(self, points: np.ndarray, step_s: float) -> None:
        self._points, self._step_s = points, step_s

    def get_robot_trajectory_msg(self, joint_filter: tuple[str, ...] = ()) -> Any:
        message = JointTrajectory(joint_names=list(reversed(NAMES)))  # any order is legal
        for k, joints in enumerate(self._points):
            sec, rest = divmod(k * self._step_s, 1.0)
            message.points.append(JointTrajectoryPoint(
                positions=joints[::-1].tolist(),
                time_from_start=Duration(sec=int(sec), nanosec=int(rest * 1e9))))
        return type('RobotTrajectoryMsg', (), {'joint_trajectory': message})()


@dataclass
class MotionPlanResponse:
    error_code: ErrorCode
    trajectory: RobotTrajectory | None = None

    def __bool__(self) -> bool:
        return self.error_code.val == 1


class PlanningComponent:
    def __init__(self, moveit: MoveItPy) -> None:
        self._moveit = moveit
        self.start: RobotState | None = None
        self.goal: Any = None
        self._workspace = False

    def set_workspace(self, min_x: float, min_y: float, min_z: float, max_x: float, max_y: float,
                      max_z: float) -> None:
        self._workspace = True

    def set_start_state(self, configuration_name: str | None = None,
                        robot_state: RobotState | None = None) -> bool:
        assert isinstance(robot_state, RobotState)
        self.start = copy.deepcopy(robot_state)
        return True

    def set_goal_state(self, configuration_name: str | None = None,
                       robot_state: RobotState | None = None,
                       pose_stamped_msg: PoseStamped | None = None, pose_link: str | None = None,
                       motion_plan_constraints: Any = None) -> bool:
        given = [v for v in (configuration_name, robot_state, pose_stamped_msg) if v is not None]
        assert len(given) == 1 and (pose_stamped_msg is None) == (pose_link is None)
        assert pose_link in (None, HAND)
        self.goal = given[0]
        return True

    def plan(self, single_plan_parameters: PlanRequestParameters,
             multi_plan_parameters: Any = None, planning_scene: PlanningScene | None = None,
             solution_selection_function: Any = None,
             stopping_criterion_callback: Any = None) -> MotionPlanResponse:
        assert planning_scene is not None and self.start is not None
        self._moveit.warnings += [] if self._workspace else ['planning volume']
        self._moveit.asked.append((single_plan_parameters, planning_scene, self.start))
        if self._moveit.answers:
            return _failed(self._moveit.answers.pop(0))
        adapters = self._moveit.adapters(single_plan_parameters.planning_pipeline)
        if 'CheckStartStateCollision' in adapters and self._hits(planning_scene, [self.joints]):
            return _failed(-10)
        if single_plan_parameters.planner_id == 'LIN':
            return self._line(planning_scene, single_plan_parameters, adapters)
        goal = self.goal.get_joint_group_positions(GROUP)
        if not KINEMATICS.limits.contain(goal):
            return _failed(99999)
        points = np.linspace(self.joints, goal, 20)
        if self._hits(planning_scene, points):
            return _failed(-6)  # OMPL searches on until the time is over
        timed = 'AddTimeOptimalParameterization' in adapters
        return MotionPlanResponse(ErrorCode(1), RobotTrajectory(points, 0.1 if timed else 0.0))

    @property
    def joints(self) -> np.ndarray:
        assert self.start is not None
        return self.start.get_joint_group_positions(GROUP)

    def _line(self, scene: PlanningScene, asked: PlanRequestParameters,
              adapters: list[str]) -> MotionPlanResponse:
        assert self.goal.header.frame_id == RobotModel.model_frame
        limit = 'robot_description_planning.cartesian_limits.max_trans_acc'
        fastest = self._moveit.config[limit] * asked.max_acceleration_scaling_factor
        if fastest > FASTEST_LINE_M_S2:
            return _failed(-1)
        T_hand_tcp = np.eye(4)
        T_hand_tcp[2, 3] = franka.TCP_M
        T = np.linalg.inv(T_WORLD_BASE) @ pose_from_msg(self.goal.pose, 'pose').matrix()
        line = LineFollower(KINEMATICS).follow(self.joints, Pose.from_matrix(T @ T_hand_tcp))
        if line.reached < 1.0:
            return _failed(-31)
        if 'ValidateSolution' in adapters and self._hits(scene, line.waypoints):
            return _failed(-2)
        return MotionPlanResponse(ErrorCode(1), RobotTrajectory(line.waypoints, 0.1))

    def _hits(self, scene: PlanningScene, points: Any) -> bool:
        for joints in points:
            state = copy.deepcopy(self.start)
            assert state is not None
            state.set_joint_group_positions(GROUP, joints)
            state.update()
            if scene.is_state_colliding(state, GROUP):
                return True
        return False


def _failed(code: int) -> MotionPlanResponse:
    return MotionPlanResponse(ErrorCode(code))


class MoveItPy:
    """`answers` are error codes that the next plans end with; `asked` is what was planned."""

    installed = ('ompl', 'pilz_industrial_motion_planner')

    def __init__(self, node_name: str = 'moveit_py', name_space: str = '',
                 launch_params_filepaths: Any = (), config_dict: Any = None,
                 provide_planning_service: bool = True, remappings: Any = None) -> None:
        if '*id' in yaml.dump(config_dict):
            raise RuntimeError('Failed to parse global arguments: aliases are not supported')
        if 'start_type_description_service' in config_dict:
            raise RuntimeError('start_type_description_service has already been declared')
        missing = set(config_dict['planning_pipelines.pipeline_names']) - set(self.installed)
        if missing:
            raise RuntimeError(f'no plugin of the class {missing}')
        self.config = config_dict
        self.topic = (remappings or {}).get('monitored_planning_scene', 'monitored_planning_scene')
        self.answers: list[int] = []
        self.warnings: list[str] = []
        self.asked: list[tuple[PlanRequestParameters, PlanningScene, RobotState]] = []
        self._model = RobotModel()

    def adapters(self, pipeline: str) -> list[str]:
        return [name.split('/')[-1] for kind in ('request', 'response')
                for name in self.config.get(f'{pipeline}.{kind}_adapters', [])]

    def get_planning_component(self, planning_component_name: str) -> PlanningComponent:
        if not self._model.has_joint_model_group(planning_component_name):
            raise RuntimeError('Could not find joint model group')
        return PlanningComponent(self)

    def get_robot_model(self) -> RobotModel:
        return self._model


def worker_on(moveit: MoveItPy, settings: MoveItSettings | None = None) -> MoveItWorker:
    return MoveItWorker(moveit, arm_names(moveit.config, PANDA, settings or MoveItSettings()))


def planner_on(moveit: MoveItPy, config: Config | None = None) -> BorrowedPathPlanner:
    """A planner with MoveIt's paths, in this process."""
    paths = MoveItPaths(answered(worker_on(moveit).plan), PANDA)
    return BorrowedPathPlanner(paths, MoveItSettings().attempts,
                               **planner_parts(config or Config(), PANDA,
                                               MujocoCollisionChecker(PANDA)))


def answered(plan: Callable[[Question], MoveItAnswer]) -> Any:
    """What MoveItPaths asks, without a process."""
    return SimpleNamespace(plan=lambda question, ctx: plan(question), close=lambda: None)


def modules() -> dict[str, ModuleType]:
    """For sys.modules: moveit_py, and the messages if they are not installed."""
    content: dict[str, dict[str, Any]] = {
        'moveit': {}, 'moveit.core': {'World': World},
        'moveit.planning': {'MoveItPy': MoveItPy, 'PlanRequestParameters': PlanRequestParameters},
        'moveit.core.planning_scene': {'PlanningScene': PlanningScene},
        'moveit.core.robot_state': {'RobotState': RobotState},
        'moveit.core.collision_detection': {
            'AllowedCollisionMatrix': AllowedCollisionMatrix,
            'CollisionRequest': CollisionRequest, 'CollisionResult': CollisionResult},
    }
    if importlib.util.find_spec('moveit_msgs') is None:
        content |= {'moveit_msgs': {}, 'moveit_msgs.msg': {
            'CollisionObject': CollisionObject,
            'AttachedCollisionObject': AttachedCollisionObject}}
    if importlib.util.find_spec('shape_msgs') is None:
        content |= {'shape_msgs': {}, 'shape_msgs.msg': {
            'Mesh': Mesh, 'MeshTriangle': MeshTriangle, 'SolidPrimitive': SolidPrimitive}}
    made = {}
    for name, members in content.items():
        made[name] = ModuleType(name)
        made[name].__dict__.update(members)
    for name in made:
        if '.' in name:
            parent, child = name.rsplit('.', 1)
            setattr(made[parent], child, made[name])
    return made
