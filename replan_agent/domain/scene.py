# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The objects in front of the robot, as perception reported them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from replan_agent.arms.arm_names import DEFAULT_ARM, base_frame
from replan_agent.text.plain_values import Recorded, on_disk, read

from .hand_shape import HandShape
from .piece import Piece, Point
from .port_errors import PartFailed
from .pose import FloatArray, Pose
from .shape import CONTAINERS, ROUND, Shape, reach

__all__ = ['COLOURS', 'CONTAINERS', 'ROUND', 'ArmSnapshot', 'Scene', 'SceneObject', 'Shape']

# How the colours with a name look: RGB from 0 to 1.
COLOURS = {
    'red': (0.84, 0.16, 0.13), 'green': (0.20, 0.62, 0.27), 'blue': (0.13, 0.36, 0.80),
    'yellow': (0.96, 0.78, 0.14), 'orange': (0.93, 0.47, 0.13), 'purple': (0.49, 0.26, 0.68),
    'cyan': (0.20, 0.71, 0.78), 'pink': (0.93, 0.52, 0.66), 'brown': (0.45, 0.29, 0.18),
    'black': (0.10, 0.10, 0.11), 'grey': (0.52, 0.54, 0.56), 'white': (0.93, 0.93, 0.91),
    'wood': (0.78, 0.63, 0.46),
}


def _plain_pieces(pieces: tuple[Piece, ...]) -> dict[str, Any]:
    return {'pieces': [piece.corners.round(5).tolist() for piece in pieces],
            'guessed': [index for index, piece in enumerate(pieces) if piece.guessed]}


def _read_pieces(values: Mapping[str, Any], where: str) -> tuple[Piece, ...]:
    solids = read(tuple[tuple[Point, ...], ...], values.get('pieces') or [], where)
    guessed = read(tuple[int, ...], values.get('guessed') or [], f'{where}: guessed')
    return tuple(Piece(corners, index in guessed) for index, corners in enumerate(solids))


@dataclass(frozen=True)
class States(Recorded):
    """How a thing can be, such as open and closed: where it is then, and how it is now.

    `now` is '' if it is between. `access`: of a container, the state in which things go in and
    out. `along` are the things that move with it: its handle. A lid `shuts` a container.
    """

    now: str
    words: tuple[str, ...]
    poses: tuple[Pose, ...]  # for each of the words
    access: str = ''
    along: tuple[str, ...] = ()
    shuts: str = ''
    degrees: float | None = field(default=None, metadata=on_disk(if_used=True))  # of a knob


@dataclass(frozen=True)
class SceneObject(Recorded):
    """One object: its name, shape, size and pose in the robot's base frame.

    `size` is the full extent (m) along the object's own axes; a cylinder's axis is its z. The pose
    is the centre of this box. Only an irregular object has `pieces`, in its own frame.
    """

    name: str
    shape: Shape
    size: tuple[float, float, float]
    pose: Pose
    colour: str = ''
    movable: bool = True
    confidence: float = 1.0
    seen_at: float = 0.0  # robot time, s
    pieces: tuple[Piece, ...] = field(default=(), metadata=on_disk(
        flat=True, if_used=True, write=_plain_pieces, read=_read_pieces))
    # How it is turned against earlier looks cannot be told.
    turn_unknown: bool = field(default=False, metadata=on_disk(if_used=True))
    # Of a container: its walls hide most of what may lie in it.
    inside_hidden: bool = field(default=False, metadata=on_disk(if_used=True))
    states: States | None = field(default=None, metadata=on_disk(if_used=True))

    def __post_init__(self) -> None:
        if (self.shape is Shape.IRREGULAR) != bool(self.pieces):
            raise ValueError(f'{self.name}: an irregular object has pieces, others have none')

    @property
    def is_container(self) -> bool:
        """Whether things can be put in it: a bowl or a bin."""
        return self.shape in CONTAINERS

    def can_be(self, state: str) -> bool:
        return self.states is not None and state in self.states.words

    @property
    def is_shut(self) -> bool:
        """Whether nothing can be put into it, or into what it shuts, as it is now."""
        return self.states is not None and self.states.access not in ('', self.states.now)

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


@dataclass(frozen=True)
class ArmSnapshot:
    """What the encoders reported when the scene was taken."""

    joints: tuple[float, ...]
    tcp: Pose
    gripper_width: float
    at_home: bool


GROUND_TRUTH = 'ground_truth'  # the perception that knows all objects, from the simulator
CLEAR = 0.75  # from this confidence on, a view shows the whole object
FLATTEST_SEEN_M = 0.009  # to a noisy camera, what is lower looks like the table,
NARROWEST_SEEN_M = 0.018  # and what is smaller in all directions may be too few pixels
UNSEEN = 'unseen_'  # begins the names of what was felt and no look shows


def was_felt(name: str) -> bool:
    """Whether a thing of this name was only felt: no look shows it."""
    return name.startswith(UNSEEN)


@dataclass(frozen=True)
class Scene(Recorded):
    """All objects seen at one moment (robot time, s), and which one the gripper holds."""

    scene_id: str
    stamp: float
    objects: tuple[SceneObject, ...]
    perception: str
    arm: ArmSnapshot | None = None
    held: str | None = None
    frame: str = base_frame(DEFAULT_ARM)
    stale: bool = False
    warnings: tuple[str, ...] = field(default=())
    hand: HandShape | None = None  # of the arm, if it is known
    own_camera: bool = False  # seen by a simulated camera that its scene file describes

    WRITTEN = 'scene_id stamp perception frame held stale objects warnings'  # no encoders

    @staticmethod
    def checked(returned: object, perception: str) -> Scene:
        """The scene that a perception returned. Raises PartFailed if it is something else."""
        if not isinstance(returned, Scene):
            raise PartFailed.by_return(f'perception {perception!r}: observe', 'a Scene', returned)
        return returned

    @property
    def not_finite(self) -> str:
        """The first object whose place or size is no number, or the arm; '' if there is none."""
        arm = self.arm
        if arm is not None and not all(map(math.isfinite, (*arm.joints, arm.gripper_width))):
            return 'the arm'
        return next((thing.name for thing in self.objects
                     if not all(map(math.isfinite, (*thing.pose.position, *thing.pose.quaternion,
                                                    *thing.size)))), '')

    def get(self, name: str) -> SceneObject | None:
        """The object with that name; None if it is not in the scene."""
        return next((o for o in self.objects if o.name == name), None)

    @property
    def in_hand(self) -> SceneObject | None:
        """The object that the gripper holds; None if there is none or it is not in the scene."""
        return self.get(self.held) if self.held is not None else None

    def names(self) -> tuple[str, ...]:
        """The names of all objects."""
        return tuple(o.name for o in self.objects)

    @property
    def state_words(self) -> frozenset[str]:
        """How things of the scene can be: open, closed."""
        return frozenset(word for o in self.objects if o.states for word in o.states.words)

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

    def seen(self) -> Scene:
        """The scene without what was only felt: no word means that."""
        return replace(self, objects=self.without(filter(was_felt, self.names())))

    def without(self, names: Iterable[str]) -> tuple[SceneObject, ...]:
        """The objects except for those with these names."""
        excluded = set(names)
        return tuple(o for o in self.objects if o.name not in excluded)
