# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The interface of skills: a spec, and check → run → verify with a toolkit."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from replan_agent.agent.ports import Perception, PhaseCallback
from replan_agent.arms.arm_model import ArmModel
from replan_agent.domain.cause import Cause
from replan_agent.domain.config import MotionConfig, SceneMemoryConfig, WorkspaceConfig
from replan_agent.domain.context import Context
from replan_agent.domain.hand import HandBelief
from replan_agent.domain.port_errors import PerceptionError
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.domain.scene_changes import MOVED_M
from replan_agent.domain.skill import (
    FailedStage,
    Reason,
    SkillResult,
    SkillSpec,
    failed,
    succeeded,
)
from replan_agent.motion.motion_protocols import Grasp, GraspPlanner, MotionPlanner
from replan_agent.robot.robot_protocols import Robot

SAME_PLACE_M = 0.025
AROUND_M = 0.12  # so far from a thing, another one may be in the way of the hand
SAME_WAY = math.cos(math.radians(25))  # of closing, and of approach
Phase = tuple[str, Callable[[], SkillResult]]


@dataclass(frozen=True)
class _Miss:
    """A grasp at `tcp`, and where the thing and what was around it lay then."""

    places: Mapping[str, Pose]
    tcp: Pose


class MissedGrasps:
    """Kept from one call of a skill to the next."""

    def __init__(self) -> None:
        self._misses: dict[str, list[_Miss]] = {}

    def note(self, thing: SceneObject, grasp: Grasp, scene: Scene) -> None:
        """Remember that this grasp failed as all lies, until the thing is seen in the hand."""
        near = {o.name: o.pose for o in scene.movable() if math.dist(
            o.position, thing.position) < max(o.size) / 2 + AROUND_M}
        self._misses.setdefault(thing.name, []).append(_Miss(near, grasp.tcp))

    def forget(self, thing: SceneObject) -> None:
        """It was picked up: what failed before says nothing about its next place."""
        self._misses.pop(thing.name, None)

    def is_like_one(self, thing: SceneObject, grasp: Grasp, scene: Scene) -> bool:
        """Whether almost the same grasp failed before: a little beside is not different.

        A thing with a shape has other grasps by its sides, and `turn` chooses among them. What a
        neighbour blocked that lies elsewhere now may be free.
        """
        return bool(thing.pieces) and any(_alike(miss.tcp, grasp.tcp) and all(
            (now := scene.get(name)) is not None and place.distance_to(now.pose) < MOVED_M
            for name, place in miss.places.items()) for miss in self._misses.get(thing.name, ()))


def _alike(a: Pose, b: Pose) -> bool:
    first, second = a.matrix(), b.matrix()
    return (a.distance_to(b) < SAME_PLACE_M
            and abs(float(first[:3, 1] @ second[:3, 1])) > SAME_WAY
            and float(first[:3, 2] @ second[:3, 2]) > SAME_WAY)


@dataclass
class Hand:
    """What the hand is believed to hold, from one call of a skill to the next."""

    belief: HandBelief = HandBelief()


@dataclass(frozen=True)
class Toolkit:
    """Everything that skills may use."""

    robot: Robot
    motion: MotionPlanner
    grasps: GraspPlanner
    perception: Perception
    motion_config: MotionConfig
    workspace: WorkspaceConfig
    arm: ArmModel
    memory_config: SceneMemoryConfig = SceneMemoryConfig()
    hand: Hand = field(default_factory=Hand)
    missed: MissedGrasps = field(default_factory=MissedGrasps)


@dataclass(frozen=True)
class Call:
    """One call of a skill: its arguments and the scene it was planned on.

    `measured` is the evidence of `run`, for `verify`.
    """

    args: Mapping[str, Any]
    scene: Scene
    kit: Toolkit
    ctx: Context
    on_phase: PhaseCallback
    measured: Mapping[str, Any] = field(default_factory=dict)

    def in_phases(self, phases: Iterable[Phase]) -> SkillResult:
        """Run each phase in order. The first failure is the result."""
        for name, action in phases:
            self.ctx.check()
            self.on_phase(name)
            result = action()
            if not isinstance(result, SkillResult):
                raise TypeError(f'phase {name!r} must return a SkillResult, not {result!r}')
            if not result.success:
                return result
        return succeeded()

    def observe(self, phase: str = 'verify') -> Scene | SkillResult:
        """A fresh scene, for verification if not said otherwise, or a failure if there is none."""
        self.on_phase(phase)
        try:
            scene = self.kit.perception.observe(self.ctx)
        except PerceptionError as error:
            return _no_fresh_scene(str(error))
        return _no_fresh_scene('; '.join(scene.warnings)) if scene.stale else scene


def _no_fresh_scene(why: str) -> SkillResult:
    return failed(Reason.STALE_SCENE, f'no fresh scene to verify with: {why}',
                  FailedStage.POSTCONDITION)


class Skill(ABC):
    """A named ability. `run` may assume that `check` passed, `verify` that `run` succeeded."""

    spec: SkillSpec

    def check(self, call: Call) -> SkillResult | None:
        """A failure if the skill cannot start, else None."""
        return None

    def foresee(self, call: Call) -> SkillResult:
        """Whether `run` would find its motions, from home. Nothing moves.

        A skill that plans nothing in advance always succeeds here.
        """
        return succeeded()

    @abstractmethod
    def run(self, call: Call) -> SkillResult:
        """Do it."""

    @abstractmethod
    def verify(self, call: Call) -> SkillResult:
        """Whether it really happened, checked with encoders and a fresh look."""


def precondition(detail: str, reason: Reason | str = Reason.PRECONDITION_FAILED,
                 cause: Cause | str | None = None, **evidence: Any) -> SkillResult:
    """A failure of the precondition stage."""
    return failed(reason, detail, FailedStage.PRECONDITION, cause=cause, **evidence)


def unverified(detail: str, reason: Reason | str = Reason.VERIFICATION_FAILED,
               cause: Cause | str | None = None, **evidence: Any) -> SkillResult:
    """A failure of the postcondition stage."""
    return failed(reason, detail, FailedStage.POSTCONDITION, cause=cause, **evidence)
