# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The simulated world: physics, time and the truth about the objects."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from replan_agent.arms.arm_model import ArmModel
from replan_agent.domain.config import ConfigError
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import SceneObject
from replan_agent.robot.mujoco.mjcf.scene_mjcf import scene_xml
from replan_agent.robot.mujoco.scene.placement import Placed, place, table_of, thing_at
from replan_agent.robot.mujoco.scene.scene_spec import SceneSpec
from replan_agent.text.shown_text import one_line, shown

from .gl import mujoco
from .mjcf.arm_looks import NO_LOOKS, Looks, SolidLooks
from .mjcf.arm_mjcf import finger_positions

SETTLE_S = 2.0  # longest time for the objects to come to rest at the start
REST_SPEED = 1e-3  # m/s and rad/s


@dataclass(frozen=True)
class ArmStart:
    """The arm's posture when a world starts. `grip_force` (N) presses on what the pads hold."""

    joints: tuple[float, ...]
    gripper_width: float
    grip_force: float = 0.0


@dataclass
class _Listener:
    callback: Callable[[], None]
    every_steps: int
    due: int


class World:
    """An arm and a scene in MuJoCo. The same scene, arm and seed give the same motion.

    Time stands still unless something steps it, as robot commands do. `looks` replaces the arm's
    usual look, `eye_in_hand` puts a camera on its hand.
    """

    def __init__(self, scene: SceneSpec, arm: ArmModel, seed: int = 0,
                 start: ArmStart | None = None, looks: Looks | None = None,
                 eye_in_hand: bool = False) -> None:
        self.scene = scene
        self.eye_in_hand = eye_in_hand
        self.arm = arm
        self.seed = seed
        self.placed = place(scene, seed)
        self._looks = looks or SolidLooks(arm.looks)
        self._drawn: tuple[mujoco.MjModel, mujoco.MjData] | None = None
        self.model = self.compiled(NO_LOOKS)  # what only looks would slow down every step
        self.data = mujoco.MjData(self.model)
        self._fingers = [int(self.model.joint(name).qposadr[0]) for name in arm.finger_names]
        self._steps = 0
        self._listeners: list[_Listener] = []
        self._start = start or ArmStart(arm.home, arm.hand.max_width_m)
        self.put_arm(self.data)
        mujoco.mj_forward(self.model, self.data)
        self.first_contacts = [(tuple(map(int, contact.geom)), float(contact.dist))
                               for contact in self.data.contact]  # two geoms, and their gap (m)
        mujoco.mj_resetData(self.model, self.data)
        self.put_arm(self.data)
        self._settle()

    @property
    def time(self) -> float:
        """Robot time (s) since the world came to rest."""
        return self._steps * self.timestep

    @property
    def gripper_width(self) -> float:
        """Distance (m) between the pads, from the encoders."""
        return max(0.0, float(self.arm.gripper.width(self.data.qpos[self._fingers])))

    @property
    def timestep(self) -> float:
        return float(self.model.opt.timestep)

    def step(self, n: int = 1) -> None:
        """Advance the physics by `n` time steps; listeners are called when they are due."""
        while n > 0:
            ahead = n
            for listener in self._listeners:
                ahead = min(ahead, max(listener.due - self._steps, 1))
            mujoco.mj_step(self.model, self.data, ahead)
            self._steps += ahead
            n -= ahead
            for listener in self._listeners[:]:
                if listener.due <= self._steps:
                    listener.due += listener.every_steps
                    listener.callback()

    def on_step(self, callback: Callable[[], None], every_s: float) -> Callable[[], None]:
        """Call `callback` every `every_s` of robot time; returns a function that ends it."""
        every = max(1, round(every_s / self.timestep))
        listener = _Listener(callback, every, self._steps + every)
        self._listeners.append(listener)

        def end() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return end

    def without_state(self) -> World:
        """A copy in the start posture that can be sent to another process."""
        still = copy.copy(self)
        still._listeners, still.data, still._drawn = [], None, None
        return still

    def with_state(self) -> World:
        """The same world with a state of its own, after `without_state`."""
        self.data = mujoco.MjData(self.model)
        return self

    def refresh_view(self) -> None:
        """Update the poses of bodies, which lag one step behind. Physics is not changed."""
        _update_poses(self.model, self.data)

    def drawn(self) -> tuple[mujoco.MjModel, mujoco.MjData]:
        """The world with its looks as it is now, for pictures alone."""
        self.refresh_view()
        if self._drawn is None or self._drawn[0].nq != self.model.nq:
            model = self.compiled(self._looks)
            self._drawn = model, mujoco.MjData(model)
        self._drawn[1].qpos[:] = self.data.qpos
        _update_poses(*self._drawn)
        return self._drawn

    def true_objects(self) -> tuple[SceneObject, ...]:
        """Where everything really is now, table first. No robot has this sense."""
        return (table_of(self.scene, self.time), *map(self._true_object, self.placed))

    def visible_objects(self) -> tuple[SceneObject, ...]:
        """The true poses of all objects that are not transparent: the best for any perception."""
        unseen = {placed.spec.name for placed in self.placed if placed.spec.unseen}
        return tuple(o for o in self.true_objects() if o.name not in unseen)

    def _true_object(self, placed: Placed) -> SceneObject:
        spec, pose = placed.spec, placed.pose
        if not spec.fixed:
            # From the coordinates: body poses lag one step behind them.
            x, y, z, qw, qx, qy, qz = map(float, self.data.joint(spec.name).qpos)
            pose = Pose((x, y, z), (qw, qx, qy, qz))
        return thing_at(placed, pose, self.time)

    def put_arm(self, data: mujoco.MjData) -> None:
        """Put the arm into its start posture; `data` may be another state of this world."""
        n, start = self.arm.joint_count, self._start
        gripper = n  # it comes last
        data.qpos[:n] = data.ctrl[:n] = start.joints
        for joint, value in finger_positions(self.arm, start.gripper_width).items():
            data.joint(joint).qpos[:] = value
        data.ctrl[gripper] = start.gripper_width
        if start.grip_force:
            data.ctrl[gripper] = self.arm.dynamics.grasp_target_m
            self.model.actuator_forcerange[gripper] = (-start.grip_force, start.grip_force)

    def compiled(self, looks: Looks) -> mujoco.MjModel:
        """The model of the scene and what is `placed` now."""
        xml = scene_xml(self.scene, self.arm, self.placed, looks, self.eye_in_hand)
        try:
            return mujoco.MjModel.from_xml_string(xml)
        except (ValueError, TypeError) as error:  # TypeError: a text that is not Unicode
            raise ConfigError(f'scene {shown(self.scene.name)}: MuJoCo cannot build it: '
                              f'{one_line(error, 300)}') from error

    def _settle(self) -> None:
        """Let the objects come to rest, then start the clock."""
        block = round(0.05 / self.timestep)
        for _ in range(round(SETTLE_S / 0.05)):
            mujoco.mj_step(self.model, self.data, block)
            if np.all(np.abs(self.data.qvel) < REST_SPEED):
                break
        self.data.time = 0.0


def _update_poses(model: mujoco.MjModel, data: mujoco.MjData) -> None:
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    mujoco.mj_camlight(model, data)
