# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a scene file describes: a table, a camera and objects, some placed at random."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from replan_agent.domain.config import setting
from replan_agent.domain.piece import Piece
from replan_agent.domain.scene import COLOURS, Shape

from .scene_values import numbers, pixels, span, wrong

FAR_M = 3.0  # everything in a table-top scene is closer to the base
RGB = tuple[float, float, float]
Range = tuple[float, float]


@dataclass(frozen=True)
class Colour:
    """A colour: RGB from 0 to 1, and its everyday name ('' for numbers only)."""

    name: str
    rgb: RGB

    @staticmethod
    def named(name: str) -> Colour:
        if name not in COLOURS:
            raise ValueError(f'no colour named {name!r}; choose from: {", ".join(COLOURS)}')
        return Colour(name, COLOURS[name])

    @staticmethod
    def read(value: Any, where: str) -> Colour:
        """A name or [r, g, b], as a scene file gives it."""
        if isinstance(value, str) and value in COLOURS:
            return Colour.named(value)
        if isinstance(value, list):
            r, g, b = numbers(3, low=0, high=1)(value, where)
            return Colour('', (r, g, b))
        raise wrong(where, f'one of {", ".join(COLOURS)}, or [r, g, b] from 0 to 1', value)


@dataclass(frozen=True)
class Randomize:
    """Ranges that a seed samples: x and y (m), or radius (m) and angle (rad) about the base."""

    x: Range | None = setting(None, 'm', read=span(-FAR_M, FAR_M))
    y: Range | None = setting(None, 'm', read=span(-FAR_M, FAR_M))
    radius: Range | None = setting(None, 'm, from the base', read=span(0, FAR_M))
    angle: Range | None = setting(None, 'rad, about the base', read=span(-math.pi, math.pi))
    yaw: Range | None = setting(None, 'rad', read=span(-2 * math.pi, 2 * math.pi))


@dataclass(frozen=True)
class ObjectSpec:
    """One object as the file gives it.

    `size` is the full extent (m) along its own axes. `position` is its centre in the base frame; a
    z of None means "resting on the table". `rpy` is roll, pitch, yaw (rad).
    """

    name: str
    shape: Shape
    size: tuple[float, float, float]
    colour: Colour
    position: tuple[float, float, float | None] = (0.5, 0.0, None)
    rpy: tuple[float, float, float] = (0.0, 0.0, 0.0)
    mass: float = 0.1  # kg
    friction: float = 0.8  # sliding coefficient with anything that touches it
    fixed: bool = False
    randomize: Randomize | None = None
    unseen: bool = False  # clear as glass: neither the camera nor ground truth shows it
    pieces: tuple[Piece, ...] = ()  # of an irregular one, in its own frame
    texture: Path | None = None  # of an irregular one: a picture on every side
    alias: str = ''  # what the camera calls a thing of this size and colour


@dataclass(frozen=True)
class TableSpec:
    """A table top: full size (m) in x and y, centre, height of its surface in the base frame."""

    size: tuple[float, float] = setting((1.25, 1.3), 'm', read=numbers(2, low=0.2, high=2 * FAR_M))
    position: tuple[float, float] = setting((0.35, 0.0), 'm',
                                            read=numbers(2, low=-FAR_M, high=FAR_M))
    height: float = setting(0.0, 'm', -0.7, 0.7)
    thickness: float = setting(0.04, 'm', 0.01, 0.2)
    colour: Colour = setting(Colour.named('wood'), 'a name or [r, g, b]', read=Colour.read)
    friction: float = setting(0.6, 'sliding coefficient', 0, 5)


@dataclass(frozen=True)
class CameraNoise:
    """How a real camera differs from a perfect one. By default there is no difference.

    `depth_sigma` is the standard deviation (m) at 1 m; it grows with the square of the distance.
    `dropout` is the share of pixels without depth, `exposure` a factor on all brightness.
    `calibration_mm` and `calibration_deg` are how far its assumed pose is from the true one.
    """

    depth_sigma: float = setting(0.0, 'm at 1 m', 0, 0.1)
    dropout: float = setting(0.0, 'share of pixels', 0, 0.95)
    exposure: float = setting(1.0, 'factor', 0.1, 5)
    calibration_mm: float = setting(0.0, 'mm', 0, 100)
    calibration_deg: float = setting(0.0, 'degrees', 0, 10)


@dataclass(frozen=True)
class CameraSpec:
    """A camera at `position` that looks at a point. Its vertical field of view is in degrees."""

    position: tuple[float, float, float] = setting((1.4, 0.55, 0.85), 'm',
                                                   read=numbers(3, low=-10, high=10))
    look_at: tuple[float, float, float] = setting((0.28, 0.0, 0.27), 'm',
                                                  read=numbers(3, low=-10, high=10))
    fovy: float = setting(45.0, 'degrees', 5, 120)
    size: tuple[int, int] = setting((640, 480), 'width and height in pixels', read=pixels)
    noise: CameraNoise = field(default_factory=CameraNoise)


@dataclass(frozen=True)
class SceneSpec:
    """A whole scene. `model` is the arm it asks for, `file` its own file if there is one.

    `dropped`: things start in the air on purpose, as in a pile.
    """

    name: str
    description: str = ''
    objects: tuple[ObjectSpec, ...] = ()
    table: TableSpec = field(default_factory=TableSpec)
    camera: CameraSpec = field(default_factory=CameraSpec)
    model: str | None = None
    file: Path | None = field(default=None, compare=False)
    dropped: bool = field(default=False, compare=False)
