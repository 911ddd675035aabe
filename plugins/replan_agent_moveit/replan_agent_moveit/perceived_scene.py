# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The perceived scene as a planning scene of MoveIt."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from replan_agent.arms.known_arms import arm_named
from replan_agent.domain.config import ConfigError
from replan_agent.domain.hand import T_tcp_thing
from replan_agent.domain.pose import FloatArray
from replan_agent.motion.motion_protocols import MotionRequest

from .moveit_arm import MoveItNames


class PerceivedScene:
    """A planning scene of a request: its objects, what is held, the intended contacts.

    Objects are larger by the clearance and the spare. What the arm is close to at one of the ends
    gets the clearance only; if it is closer than that, nothing.
    Objects have numbers for names: an object may be called like a link.
    """

    def __init__(self, model: Any, names: MoveItNames, T_tip_tcp: FloatArray,
                 request: MotionRequest, spare_m: float, ends: Sequence[FloatArray]) -> None:
        self._model, self._names, self._T_tip_tcp = model, names, T_tip_tcp
        self._request = request
        seen = request.scene
        self._held = seen.in_hand if seen.arm else None
        self._ids = {f'object_{k}': thing for k, thing in enumerate(seen.objects)}
        clearance_m = request.clearance_m
        levels = sorted({clearance_m + spare_m, clearance_m, 0.0}, reverse=True)
        by_m = dict.fromkeys(self._ids, levels[0])
        self._build(by_m)
        for less_m in levels[1:]:
            close = {b for joints in ends for _, b in self._touching(joints)}
            if not close:
                break
            by_m |= dict.fromkeys(close, less_m)
            self._build(by_m)

    def touched(self, joints: FloatArray) -> tuple[str, ...]:
        """The names of the objects that the arm, or what it holds, touches at these joints."""
        return tuple(dict.fromkeys(self._ids[b].name for _, b in self._touching(joints)))

    def leave(self, joints: FloatArray) -> None:
        """Let what touches at these joints touch, so that the arm can move away.

        The hand counts as one: on the way out another finger may touch.
        """
        self._allow(self._as_one(self._touching(joints)))
        if self.collides(joints):
            own = [self._names.base, *self._movers]
            self._allow(self._as_one(self._pairs_at(joints, itertools.combinations(own, 2))))

    def collides(self, joints: FloatArray) -> bool:
        """Whether the arm touches anything at these joints, or itself."""
        return bool(self.scene.is_state_colliding(
            robot_state=self.state(joints), joint_model_group_name=self._names.group))

    def state(self, joints: FloatArray) -> Any:
        """A robot state at these joints, with the held object."""
        state = copy.deepcopy(self.scene.current_state)
        arm, width = self._request.scene.arm, self._request.gripper_width
        if width is None:
            width = arm.gripper_width if arm else arm_named(self._names.model).hand.max_width_m
        state.joint_positions = {joint: value for joint, value
                                 in self._names.finger_joints(width).items()
                                 if joint in state.joint_positions}
        state.set_joint_group_positions(self._names.group, np.asarray(joints, dtype=float))
        state.update()
        return state

    def _build(self, by_m: dict[str, float]) -> None:
        """The scene, with each object larger by so much."""
        from moveit.core import World
        from moveit.core.planning_scene import PlanningScene

        from .moveit_scene import attached_object, collision_object

        # Without a world of its own it would get the one that earlier scenes have filled.
        self.scene = PlanningScene(self._model, World())
        for name, thing in self._ids.items():
            if thing is not self._held:
                self.scene.apply_collision_object(
                    collision_object(thing, name, self._names.base, by_m[name]))
                continue
            arm = self._request.scene.arm
            assert arm is not None, 'a scene with something held knows where the arm was'
            T_tip_thing = self._T_tip_tcp @ T_tcp_thing(thing, arm)
            attached = attached_object(thing, name, T_tip_thing, self._names.tip,
                                       self._names.hand)
            if not self.scene.process_attached_collision_object(object=attached):
                raise ConfigError(f'MoveIt does not attach {thing.name} to {self._names.tip}')
        standing = [name for name, thing in self._ids.items() if thing is not self._held]
        self._allow((self._names.base, name) for name in standing)
        self._allow((a, b) for first, second in self._request.allowed_contacts
                    for a in self._of(first) for b in self._of(second))

    def _of(self, name: str) -> list[str]:
        """The links and objects of that name."""
        things = [number for number, thing in self._ids.items() if thing.name == name]
        return [*self._names.of_part(name), *things]

    def _as_one(self, pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
        """The pairs, with every link of the hand where there is one."""
        hand = self._names.hand
        return [(x, y) for a, b in pairs for x in (hand if a in hand else (a,))
                for y in (hand if b in hand else (b,))]

    def _allow(self, pairs: Iterable[tuple[str, str]]) -> None:
        matrix = self.scene.allowed_collision_matrix
        for a, b in pairs:
            matrix.set_entry(a, b, True)
        self.scene.allowed_collision_matrix = matrix

    @property
    def _movers(self) -> list[str]:
        """The links that move, and what is held."""
        links = [link for link in self._names.links if link != self._names.base]
        return links + [name for name, thing in self._ids.items() if thing is self._held]

    def _touching(self, joints: FloatArray) -> list[tuple[str, str]]:
        """The links, or what is held, that touch an object."""
        if not self.collides(joints):
            return []
        things = [name for name, thing in self._ids.items() if thing is not self._held]
        return self._pairs_at(joints, ((a, b) for b in things for a in self._movers
                                       if not self._allowed(a, b)))

    def _pairs_at(self, joints: FloatArray,
                  pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
        """The pairs that touch. moveit_py does not name them, so each is checked alone."""
        from moveit.core.collision_detection import (
            AllowedCollisionMatrix,
            CollisionRequest,
            CollisionResult,
        )

        state, found = self.state(joints), []
        request = CollisionRequest()
        request.joint_model_group_name = self._names.group
        alone = AllowedCollisionMatrix([*self._names.links, *self._ids], True)
        for a, b in pairs:
            alone.set_entry(a, b, False)
            result = CollisionResult()
            self.scene.check_collision(request, result, state, alone)
            alone.set_entry(a, b, True)
            found += [(a, b)] if result.collision else []
        return found

    def _allowed(self, a: str, b: str) -> bool:
        """Whether the request lets these two touch."""
        return any(a in self._of(first) and b in self._of(second)
                   or b in self._of(first) and a in self._of(second)
                   for first, second in self._request.allowed_contacts)
