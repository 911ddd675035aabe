# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Faults that are injected into an episode: in the world, at the robot's edge, at the camera's.

The agent is not touched. It sees the faults only through its camera and its encoders.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.spatial.transform import Rotation

from replan_agent.agent.ports import Perception
from replan_agent.app.build.robot_cell import MujocoCell
from replan_agent.domain.cause import Cause
from replan_agent.domain.context import Context
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.robot_state import CommandResult, ContactGuard
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import Reason
from replan_agent.domain.trajectory import JointTrajectory
from replan_agent.execute.wrapped_robot import WrappedRobot
from replan_agent.perceive.wrapped import WrappedPerception
from replan_agent.robot.mujoco.mujoco_robot import MujocoRobot
from replan_agent.robot.mujoco.world import World

OPEN_S = 0.25  # the fingers let go for this long
ASIDE_S = 0.8  # time for a motion to a wrong place
NEWTON_STEPS = 40
WELL_BESIDE = 0.002  # m and rad
WRIST_RAD = 0.5

Motion = Callable[['FaultyRobot', JointTrajectory, Context, ContactGuard | None], CommandResult]
Grasp = Callable[['FaultyRobot', float, Context], CommandResult]


@dataclass
class Armed:
    """The fault of the next motion, and of the next grasp."""

    motion: Motion | None = None
    grasp: Grasp | None = None


@dataclass(frozen=True)
class FaultyRobot(WrappedRobot):
    """A simulated arm whose next motion or grasp may go wrong."""

    robot: MujocoRobot
    armed: Armed = field(default_factory=Armed)

    def execute(self, trajectory: JointTrajectory, ctx: Context,
                guard: ContactGuard | None = None) -> CommandResult:
        fault, self.armed.motion = self.armed.motion, None
        if fault is not None:
            return fault(self, trajectory, ctx, guard)
        return self.robot.execute(trajectory, ctx, guard)

    def grasp(self, force: float, ctx: Context) -> CommandResult:
        fault, self.armed.grasp = self.armed.grasp, None
        return fault(self, force, ctx) if fault is not None else self.robot.grasp(force, ctx)

    def pass_time(self, seconds: float, ctx: Context) -> None:
        self.robot.pass_time(seconds, ctx)


def with_faulty_robot(cell: MujocoCell) -> tuple[MujocoCell, FaultyRobot]:
    """The cell with a robot that can go wrong, and that robot."""
    assert isinstance(cell.robot, MujocoRobot)  # the embedded simulation
    robot = FaultyRobot(cell.robot)
    return replace(cell, robot=robot), robot


def delayed(seconds: float) -> Motion:
    """The controller begins late."""
    def motion(arm: FaultyRobot, trajectory: JointTrajectory, ctx: Context,
               guard: ContactGuard | None) -> CommandResult:
        arm.pass_time(seconds, ctx)
        return arm.robot.execute(trajectory, ctx, guard)

    return motion


def aborted(share: float) -> Motion:
    """The controller gives up after this share of the motion, and the arm stands still."""
    def motion(arm: FaultyRobot, trajectory: JointTrajectory, ctx: Context,
               guard: ContactGuard | None) -> CommandResult:
        world = arm.robot.world
        end_at = world.time + share * trajectory.duration

        def stop() -> None:
            if world.time >= end_at:
                end()
                arm.robot.stop()

        end = world.on_step(stop, world.timestep)
        answer = arm.robot.execute(trajectory, ctx, guard)
        end()
        if answer.reason is not Reason.STOPPED:
            return answer
        return CommandResult(False, Reason.CONTROLLER_ABORTED, 'the controller aborted the motion',
                             cause=Cause.CONTROLLER_ERROR)

    return motion


def astray(shift_m: FloatArray, turn_rad: FloatArray) -> Motion:
    """The arm ends beside its goal by `shift_m` (x, y, z) and turned by `turn_rad`, base frame.

    The controller reports success.
    """
    def motion(arm: FaultyRobot, trajectory: JointTrajectory, ctx: Context,
               guard: ContactGuard | None) -> CommandResult:
        answer = arm.robot.execute(trajectory, ctx, guard)
        wrong = _beside(trajectory.end, shift_m, turn_rad, arm)
        return _on_to(arm, wrong, ctx, guard) if answer.success else answer

    return motion


def unturned(joint: int = -1) -> Motion:
    """One joint ends where it began. The controller reports success."""
    def motion(arm: FaultyRobot, trajectory: JointTrajectory, ctx: Context,
               guard: ContactGuard | None) -> CommandResult:
        answer, wrong = arm.robot.execute(trajectory, ctx, guard), trajectory.end.copy()
        wrong[joint] = trajectory.start[joint]
        return _on_to(arm, wrong, ctx, guard) if answer.success else answer

    return motion


def stops_short(width_m: float) -> Grasp:
    """The fingers stop at this width and report that they closed."""
    def grasp(arm: FaultyRobot, force: float, ctx: Context) -> CommandResult:
        arm.robot.move_gripper(min(width_m, arm.state().gripper_width), ctx)
        return CommandResult(True)

    return grasp


def _on_to(arm: FaultyRobot, joints: FloatArray, ctx: Context, guard: ContactGuard | None
           ) -> CommandResult:
    """A smooth motion from here to `joints`."""
    start = arm.limits.clamp(arm.state().joints)
    away = arm.limits.clamp(joints) - start
    duration = max(ASIDE_S, 2.5 * float(np.max(np.abs(away) / arm.limits.velocity)))
    s = np.linspace(0.0, 1.0, 50)[:, None]
    position = 10 * s**3 - 15 * s**4 + 6 * s**5
    velocity = (30 * s**2 - 60 * s**3 + 30 * s**4) / duration
    acceleration = (60 * s - 180 * s**2 + 120 * s**3) / duration**2
    return arm.robot.execute(JointTrajectory(
        arm.limits.names, s[:, 0] * duration, start + position * away, velocity * away,
        acceleration * away), ctx, guard)


def _beside(joints: FloatArray, shift_m: FloatArray, turn_rad: FloatArray, arm: FaultyRobot
            ) -> FloatArray:
    """The joints at which the tool is shifted and turned like this, or the other way round.

    Where the arm can do neither, its wrist turns by that angle.
    """
    kinematics = arm.robot.world.arm.kinematics
    for sign in (1.0, -1.0):
        goal = kinematics.forward(joints)
        goal[:3, 3] += sign * shift_m
        goal[:3, :3] = Rotation.from_rotvec(sign * turn_rad).as_matrix() @ goal[:3, :3]
        found, error = joints.copy(), np.ones(6)
        for _ in range(NEWTON_STEPS):
            now = kinematics.forward(found)
            error = np.concatenate([goal[:3, 3] - now[:3, 3], Rotation.from_matrix(
                goal[:3, :3] @ now[:3, :3].T).as_rotvec()])
            step = np.linalg.pinv(kinematics.jacobian(found), rcond=1e-2) @ error
            found = arm.limits.clamp(found + np.clip(step, -0.1, 0.1))
        if np.abs(error).max() < WELL_BESIDE:
            return found
    return _wrist_turned(joints, float(np.linalg.norm(turn_rad)) or WRIST_RAD, arm)


def _wrist_turned(joints: FloatArray, angle: float, arm: FaultyRobot) -> FloatArray:
    turned, middle = joints.copy(), (arm.limits.lower + arm.limits.upper) / 2
    turned[-1] += angle if joints[-1] < middle[-1] else -angle
    return turned


class LettingGo:
    """The fingers open `after_s` from now, for a moment, and close again."""

    def __init__(self, world: World, after_s: float) -> None:
        self._world = world
        self._from = world.time + after_s
        self._actuator = world.model.actuator(world.arm.frame('gripper')).id
        self._end = world.on_step(self._act, world.timestep)

    def _act(self) -> None:
        since = self._world.time - self._from
        if since >= 0:
            self._world.data.ctrl[self._actuator] = (
                self._world.arm.hand.max_width_m if since < OPEN_S
                else self._world.arm.dynamics.grasp_target_m)
        if since >= OPEN_S:
            self._end()


def moved_by_another(world: World, name: str, position: tuple[float, float, float]) -> None:
    """Somebody else takes an object and puts it down there (m, its centre), in a moment."""
    joint = world.data.joint(name)
    joint.qpos[:3], joint.qpos[3:], joint.qvel[:] = position, (1.0, 0.0, 0.0, 0.0), 0.0
    world.refresh_view()


class FaultyView(WrappedPerception):
    """A perception of which a few looks hide an object, or mix up two names."""

    def __init__(self, perception: Perception) -> None:
        super().__init__(perception)
        self._hidden: dict[str, int] = {}
        self._swapped: tuple[str, str] = ('', '')
        self._swaps = 0

    def hide(self, name: str, looks: int) -> None:
        self._hidden[name] = looks

    def mix_up(self, one: str, other: str, looks: int = 1) -> None:
        self._swapped, self._swaps = (one, other), looks

    def observe(self, ctx: Context) -> Scene:
        scene = self._perception.observe(ctx)
        gone = [name for name, left in self._hidden.items() if left > 0]
        for name in gone:
            self._hidden[name] -= 1
        if self._swaps > 0:
            self._swaps -= 1
            scene = self._mixed_up(scene)
        return replace(scene, objects=tuple(o for o in scene.objects if o.name not in gone))

    def _mixed_up(self, scene: Scene) -> Scene:
        one, other = map(scene.get, self._swapped)
        if one is None or other is None:
            return scene
        called = {one.name: (other.name, other.colour), other.name: (one.name, one.colour)}
        seen = tuple(replace(o, name=called[o.name][0], colour=called[o.name][1])
                     if o.name in called else o for o in scene.objects)
        held = called[scene.held][0] if scene.held in called else scene.held
        return replace(scene, objects=seen, held=held)
