# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What moves on a piece of furniture, as a scene file gives it."""

from __future__ import annotations

import itertools
from dataclasses import MISSING, dataclass

from replan_agent import Pose
from replan_agent.domain.config import setting
from replan_agent.domain.piece import Piece
from replan_agent.domain.scene import Shape
from replan_agent.robot.mujoco.scene.scene_spec import Colour
from replan_agent.robot.mujoco.scene.scene_values import number, word

from .joint import JointKind, Vector

PLAY = {JointKind.SLIDE: 0.001, JointKind.HINGE: 0.005}  # of what is locked


@dataclass(frozen=True)
class PartFields:
    """A drawer, a door, a lid, a button or a knob as the file gives it."""

    name: str = setting(MISSING, 'a name of its own', read=word)
    open: float = setting(0.0, 'm or rad that it is open at the start', 0, 6)
    travel: float | None = setting(None, 'm or rad that it can move; its kind has a default',
                                   read=number(0.003, 6))
    friction: float = setting(1.0, 'N or N·m that hold it back', 0, 100)
    colour: Colour = setting(Colour.named('white'), 'a name or [r, g, b]', read=Colour.read)
    locked: bool = setting(False, 'whether it cannot move')
    jams_at: float | None = setting(None, 'm or rad at which it sticks', read=number(0.0, 6))


@dataclass(frozen=True)
class Part:
    """A drawer, a door or a lid, whose front is its own -x and has a handle: a round bar.

    Or a button or a knob, without one: its own z points out of the furniture. `closed` is its
    pose in the frame of the furniture, and `axis` and `point` are there too. Ways are in m or rad,
    friction in N or N·m.
    """

    name: str
    cabinet: str
    shape: Shape
    size: Vector
    closed: Pose
    kind: JointKind
    axis: Vector
    point: Vector
    travel: float
    given: PartFields
    bar: Pose | None = None  # in its own frame
    bar_m: float = 0.0  # its length
    post: Vector = (1.0, 0.0, 0.0)  # from the bar to the part
    handle: str = ''  # its name: without that of the part, so "the drawer" means only one thing
    words: tuple[str, ...] = ('open', 'closed')  # a knob has none: it is at an angle
    mass_kg: float = 0.8
    click_n: float = 0.0  # of a button: the most force of its spring, then it stays down
    shuts: str = ''  # the container that is open when this is

    @property
    def range(self) -> tuple[float, float]:
        """Where it can be; a locked one only where it is."""
        start = self.given.open
        return (start, start + PLAY[self.kind]) if self.given.locked else (
            0.0, self.travel if self.given.jams_at is None else self.given.jams_at)


def box(centre: Vector, size: Vector) -> Piece:
    (x, dx), (y, dy), (z, dz) = ((c, s / 2) for c, s in zip(centre, size))
    return Piece(tuple((x + i * dx, y + j * dy, z + k * dz)
                       for i, j, k in itertools.product((-1, 1), repeat=3)))
