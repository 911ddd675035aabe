"""A stand-in of moveit_py's documented interface (Jazzy). No MoveIt is behind it.

The names and keywords are those of the documentation, so that a call MoveIt would not take fails
here too. What it computes is simple: exact IK of a Panda, straight joint motions, and collisions
of the links' origins and the tip with primitives, and of a folded arm with itself.
"""

from __future__ import annotations

import copy
import sys
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy as np
from builtin_interfaces.msg import Duration
from geometry_msgs.msg import Pose as PoseMsg
from geometry_msgs.msg import PoseStamped
from std_msgs.msg import Header
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from replan_agent.domain import franka
from replan_agent.motion.analytic_ik import AnalyticIK
from replan_agent.motion.franka_kinematics import FrankaKinematics
from replan_agent.ros.messages.message_fields import pose_from_msg

KINEMATICS = FrankaKinematics('panda')
NAMES = franka.joint_names('panda')
LINKS = (*(f'panda_link{i}' for i in range(1, 8)), 'panda_link8', 'panda_hand')
T_WORLD_BASE = np.eye(4)
T_WORLD_BASE[2, 3] = 0.5  # the model's root is not the arm's base


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


class RobotModel:
    pass


class RobotState:
    def __init__(self, robot_model: RobotModel) -> None:
        assert isinstance(robot_model, RobotModel)
        self.joint_positions_: dict[str, float] = {}
        self.attached: list[AttachedCollisionObject] = []
        self.dirty = True

    @property
    def joint_positions(self) -> dict[str, float]:
        return dict(self.joint_positions_)

    @joint_positions.setter
    def joint_positions(self, positions: dict[str, float]) -> None:
        assert all(type(value) is float for value in positions.values())
        self.joint_positions_.update(positions)
        self.dirty = True

    def set_to_default_values(self) -> None:
        self.joint_positions = dict(zip(NAMES, map(float, franka.HOME)))

    def set_joint_group_positions(self, joint_model_group_name: str,
                                  position_values: np.ndarray) -> None:
        assert joint_model_group_name == 'panda_arm'
        self.joint_positions = dict(zip(NAMES, map(float, position_values)))

    def get_joint_group_positions(self, joint_model_group_name: str) -> np.ndarray:
        assert joint_model_group_name == 'panda_arm'
        return np.array([self.joint_positions_[name] for name in NAMES])

    def get_global_link_transform(self, link_name: str) -> np.ndarray:
        assert not self.dirty, 'update() first'
        assert link_name == 'panda_link0'
        return T_WORLD_BASE

    def set_from_ik(self, joint_model_group_name: str, geometry_pose: PoseMsg, tip_name: str,
                    timeout: float = 0.0) -> bool:
        assert (joint_model_group_name, tip_name) == ('panda_arm', 'panda_hand_tcp')
        assert timeout > 0
        wanted = np.linalg.inv(T_WORLD_BASE) @ pose_from_msg(geometry_pose, 'pose').matrix()
        near = self.get_joint_group_positions('panda_arm')
        joints = AnalyticIK(KINEMATICS.limits).solve_nearest(wanted, near)
        if joints is not None:
            self.set_joint_group_positions('panda_arm', joints + IK_ERROR[0])
        return joints is not None

    def update(self, force: bool = False, type: str = 'all') -> None:  # noqa: A002 as documented
        self.dirty = False


IK_ERROR = [0.0]  # rad, by which a solution is off
FOLDED_RAD = -2.95  # joint 4 below this: the hand touches the upper arm


class AllowedCollisionMatrix:
    def __init__(self) -> None:
        self.allowed: set[frozenset[str]] = set()

    def set_entry(self, name1: str, name2: str, allowed: bool) -> None:
        assert allowed
        self.allowed.add(frozenset((name1, name2)))


class PlanningScene:
    def __init__(self, robot_model: RobotModel, world: Any = None) -> None:
        self.current_state = RobotState(robot_model)
        self.current_state.set_to_default_values()
        self.allowed_collision_matrix = AllowedCollisionMatrix()
        self.world: dict[str, CollisionObject] = {}

    def apply_collision_object(self, collision_object_msg: CollisionObject,
                               color_msg: Any = None) -> None:
        assert collision_object_msg.header.frame_id == 'panda_link0'
        self.world[collision_object_msg.id] = collision_object_msg

    def process_attached_collision_object(self, object: AttachedCollisionObject) -> bool:  # noqa: A002
        self.current_state.attached.append(object)
        return True

    def is_state_colliding(self, robot_state: RobotState, joint_model_group_name: str,
                           verbose: bool = False) -> bool:
        assert not robot_state.dirty and joint_model_group_name == 'panda_arm'
        assert robot_state.attached == self.current_state.attached, 'attached bodies are lost'
        joints = robot_state.get_joint_group_positions('panda_arm')
        if joints[3] < FOLDED_RAD:
            return True
        points = {name: frame[:3, 3] for name, frame in zip(
            (*LINKS[:8], 'panda_hand'), KINEMATICS.link_frames(joints))}
        return any(frozenset((link, name)) not in self.allowed_collision_matrix.allowed
                   and _inside(point, thing)
                   for name, thing in self.world.items() for link, point in points.items())


def _inside(point: np.ndarray, thing: CollisionObject) -> bool:
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
        self.goal = given[0]
        return True

    def plan(self, single_plan_parameters: PlanRequestParameters,
             multi_plan_parameters: Any = None, planning_scene: PlanningScene | None = None,
             solution_selection_function: Any = None,
             stopping_criterion_callback: Any = None) -> MotionPlanResponse:
        assert planning_scene is not None and self.start is not None
        self._moveit.asked.append((single_plan_parameters, planning_scene, self.start))
        if self._moveit.answers:
            return MotionPlanResponse(ErrorCode(self._moveit.answers.pop(0)))
        start = self.start.get_joint_group_positions('panda_arm')
        goal = copy.deepcopy(self.start)
        if isinstance(self.goal, RobotState):
            goal = self.goal
        else:
            pose = pose_from_msg(self.goal.pose, 'pose').matrix()
            joints = AnalyticIK(KINEMATICS.limits).solve_nearest(pose, start)
            assert joints is not None
            goal.set_joint_group_positions('panda_arm', joints)
        points = np.linspace(start, goal.get_joint_group_positions('panda_arm'), 20)
        for joints in points:
            state = copy.deepcopy(self.start)
            state.set_joint_group_positions('panda_arm', joints)
            state.update()
            if planning_scene.is_state_colliding(state, 'panda_arm'):
                return MotionPlanResponse(ErrorCode(-1))
        return MotionPlanResponse(ErrorCode(1), RobotTrajectory(points, 0.1))


class MoveItPy:
    """`answers` are error codes that the next plans end with; `asked` is what was planned."""

    def __init__(self, node_name: str = 'moveit_py', name_space: str = '',
                 launch_params_filepaths: Any = (), config_dict: Any = None,
                 provide_planning_service: bool = True, remappings: Any = None) -> None:
        self.config = config_dict
        self.answers: list[int] = []
        self.asked: list[tuple[PlanRequestParameters, PlanningScene, RobotState]] = []
        self._model = RobotModel()

    def get_planning_component(self, planning_component_name: str) -> PlanningComponent:
        assert planning_component_name == 'panda_arm'
        return PlanningComponent(self)

    def get_robot_model(self) -> RobotModel:
        return self._model


def modules() -> dict[str, ModuleType]:
    """For sys.modules: where the real ones are not installed."""
    content: dict[str, dict[str, Any]] = {
        'moveit': {}, 'moveit.core': {},
        'moveit.planning': {'MoveItPy': MoveItPy, 'PlanRequestParameters': PlanRequestParameters},
        'moveit.core.planning_scene': {'PlanningScene': PlanningScene},
        'moveit.core.robot_state': {'RobotState': RobotState},
        'moveit_msgs': {}, 'shape_msgs': {},
        'moveit_msgs.msg': {'CollisionObject': CollisionObject,
                            'AttachedCollisionObject': AttachedCollisionObject},
        'shape_msgs.msg': {'Mesh': Mesh, 'MeshTriangle': MeshTriangle,
                           'SolidPrimitive': SolidPrimitive},
    }
    made = {}
    for name, members in content.items():
        made[name] = ModuleType(name)
        made[name].__dict__.update(members)
    for name in made:
        if '.' in name:
            parent, child = name.rsplit('.', 1)
            setattr(made[parent], child, made[name])
    assert not set(made) & set(sys.modules), 'the real ones are here: use them'
    return made
