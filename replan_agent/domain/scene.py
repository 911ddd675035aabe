"""The objects in front of the robot, as perception reported them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from .piece import Piece
from .pose import FloatArray, Pose
from .shape import CONTAINERS, ROUND, Shape, reach

__all__ = ['CONTAINERS', 'ROUND', 'ArmSnapshot', 'Scene', 'SceneObject', 'Shape']


@dataclass(frozen=True)
class SceneObject:
    """One object: its name, shape, size and pose in the robot's base frame.

    `size` is the full extent (m) along the object's own axes; a cylinder's axis is its z. The
    pose is the geometric centre of this box. Only an irregular object has `pieces`, in its own
    frame.
    """

    name: str
    shape: Shape
    size: tuple[float, float, float]
    pose: Pose
    colour: str = ''
    movable: bool = True
    confidence: float = 1.0
    seen_at: float = 0.0  # robot time, s
    pieces: tuple[Piece, ...] = ()
    turn_unknown: bool = False  # how it is turned against earlier looks cannot be told

    def __post_init__(self) -> None:
        if (self.shape is Shape.IRREGULAR) != bool(self.pieces):
            raise ValueError(f'{self.name}: an irregular object has pieces, others have none')

    @property
    def is_container(self) -> bool:
        """Whether things can be put in it: a bowl or a bin."""
        return self.shape in CONTAINERS

    @property
    def position(self) -> tuple[float, float, float]:
        """Where its centre is (m, base frame)."""
        return self.pose.position

    def half_extents_in_base(self) -> FloatArray:
        """Half extents (m) of the upright box around the object's position, in the base frame."""
        return self._half_extents

    @cached_property  # searches ask often, and an object never changes
    def _half_extents(self) -> FloatArray:
        axes = self.pose.rotation  # row i is the base's axis i in the object's frame
        half = np.maximum(reach(self, axes), reach(self, -axes))
        half.flags.writeable = False
        return half

    @cached_property
    def top_z(self) -> float:
        """The height of its highest point (m, base frame)."""
        return float(self.position[2] + reach(self, self.pose.matrix()[2, :3]))

    @cached_property
    def bottom_z(self) -> float:
        """The height of its lowest point (m, base frame)."""
        return float(self.position[2] - reach(self, -self.pose.matrix()[2, :3]))

    def as_dict(self) -> dict[str, Any]:
        return {
            'name': self.name, 'shape': self.shape.value, 'size': list(self.size),
            'pose': self.pose.as_dict(), 'colour': self.colour, 'movable': self.movable,
            'confidence': self.confidence, 'seen_at': self.seen_at,
            **({'pieces': [p.corners.round(5).tolist() for p in self.pieces],
                'guessed': [k for k, p in enumerate(self.pieces) if p.guessed]}
               if self.pieces else {}),
            **({'turn_unknown': True} if self.turn_unknown else {}),
        }


@dataclass(frozen=True)
class ArmSnapshot:
    """What the encoders reported when the scene was taken."""

    joints: tuple[float, ...]
    tcp: Pose
    gripper_width: float
    at_home: bool


GROUND_TRUTH = 'ground_truth'  # the perception that knows all objects, from the simulator


@dataclass(frozen=True)
class Scene:
    """All objects seen at one moment (robot time, s), and which one the gripper holds."""

    scene_id: str
    stamp: float
    objects: tuple[SceneObject, ...]
    perception: str
    arm: ArmSnapshot | None = None
    held: str | None = None
    frame: str = 'panda_link0'
    stale: bool = False
    warnings: tuple[str, ...] = field(default=())

    def get(self, name: str) -> SceneObject | None:
        """The object with that name; None if it is not in the scene."""
        return next((o for o in self.objects if o.name == name), None)

    def names(self) -> tuple[str, ...]:
        """The names of all objects."""
        return tuple(o.name for o in self.objects)

    @property
    def may_hide(self) -> bool:
        """Whether there may be objects that it does not show: a camera does not see them all."""
        return self.perception != GROUND_TRUTH

    @property
    def table(self) -> SceneObject | None:
        """The table; None if none is seen."""
        return next((o for o in self.objects if o.shape is Shape.TABLE), None)

    def movable(self) -> tuple[SceneObject, ...]:
        """The objects that may be moved."""
        return tuple(o for o in self.objects if o.movable)

    def without(self, names: Iterable[str]) -> tuple[SceneObject, ...]:
        """The objects except for those with these names."""
        excluded = set(names)
        return tuple(o for o in self.objects if o.name not in excluded)

    def as_dict(self) -> dict[str, Any]:
        return {
            'scene_id': self.scene_id, 'stamp': self.stamp, 'perception': self.perception,
            'frame': self.frame, 'held': self.held, 'stale': self.stale,
            'objects': [o.as_dict() for o in self.objects], 'warnings': list(self.warnings),
        }
