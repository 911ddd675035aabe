# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Buttons and knobs on a panel: side by side on its top or on its front."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from replan_agent import Pose
from replan_agent.domain.config import setting
from replan_agent.domain.scene import Shape
from replan_agent.robot.mujoco.scene.scene_values import wrong

from .joint import JointKind, Vector
from .part import Part, PartFields

FACES = ('top', 'front')
PRESSED = ('pressed', 'released')
CAP_M = 0.006  # of a button, when it is pressed
BUTTON_M, BUTTON_TRAVEL_M = 0.03, 0.008
KNOB_M: Vector = (0.05, 0.018, 0.03)  # a bar that fingers close across
KNOB_TRAVEL = math.radians(120)


@dataclass(frozen=True)
class ControlFields(PartFields):
    face: str = setting('top', 'of the panel', choices=FACES)


@dataclass(frozen=True)
class ButtonFields(ControlFields):
    friction: float = setting(0.3, 'N that hold it back', 0, 100)
    force: float = setting(8.0, 'N at which it clicks', 1, 40)


@dataclass(frozen=True)
class KnobFields(ControlFields):
    friction: float = setting(0.1, 'N·m that hold it back', 0, 10)
    grip: float = setting(0.8, 'friction of its sides', 0.01, 2)


def controls(panel: str, size: Vector, given: tuple[ControlFields, ...], here: str
             ) -> Iterator[Part]:
    """From left to right, for somebody who stands at the robot."""
    for place, one in enumerate(given):
        y = size[1] * (0.5 - (place + 0.5) / len(given))
        wide = KNOB_M[0] if isinstance(one, KnobFields) else BUTTON_M
        across = size[2] if one.face == 'front' else size[0]
        if min(size[1] / len(given), across) < wide:
            raise wrong(f'{here}: {one.name}', f'{wide:g} m wide at most, as its share of the '
                        'panel', min(size[1] / len(given), across))
        yield _knob(panel, size, y, one) if isinstance(one, KnobFields) else _button(
            panel, size, y, one)


def _button(panel: str, size: Vector, y: float, one: ControlFields) -> Part:
    """A cap that goes into the panel."""
    travel = one.travel or BUTTON_TRAVEL_M
    closed, out = _on(size, y, one, (CAP_M + travel) / 2)
    assert isinstance(one, ButtonFields)
    return Part(one.name, panel, Shape.CYLINDER, (BUTTON_M, BUTTON_M, CAP_M + travel), closed,
                JointKind.SLIDE, (-out[0], 0.0, -out[2]), closed.position, travel, one,
                words=PRESSED, mass_kg=0.03, click_n=one.force)


def _knob(panel: str, size: Vector, y: float, one: ControlFields) -> Part:
    """A bar that turns on the panel, to the left when its state grows."""
    closed, out = _on(size, y, one, KNOB_M[2] / 2)
    return Part(one.name, panel, Shape.BOX, KNOB_M, closed, JointKind.HINGE, out,
                closed.position, one.travel or KNOB_TRAVEL, one, words=(), mass_kg=0.05)


def _on(size: Vector, y: float, one: ControlFields, off: float) -> tuple[Pose, Vector]:
    """The pose of something whose middle is `off` from the face, and the way out of the panel."""
    if one.face == 'top':
        return Pose((0.0, y, size[2] / 2 + off)), (0.0, 0.0, 1.0)
    return (Pose.from_rpy(-size[0] / 2 - off, y, 0.0, pitch=-math.pi / 2), (-1.0, 0.0, 0.0))
