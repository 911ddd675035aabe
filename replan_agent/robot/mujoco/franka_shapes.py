"""What the arm collides with: capsules and boxes that wrap the real Franka's links.

All in the link's DH frame, in metres; the dimensions follow the published outline.
"""

from __future__ import annotations

from dataclasses import dataclass

Vector = tuple[float, float, float]


@dataclass(frozen=True)
class Capsule:
    """A cylinder with round ends between two points."""

    start: Vector
    end: Vector
    radius: float


@dataclass(frozen=True)
class Box:
    """A box by its centre and full extents."""

    centre: Vector
    size: Vector


LINKS: tuple[tuple[Capsule | Box, ...], ...] = (
    (Capsule((-0.09, 0, 0.06), (0, 0, 0.06), 0.07), Box((-0.04, 0, 0.015), (0.225, 0.18, 0.03))),
    (Capsule((0, 0, -0.14), (0, 0, 0), 0.057), Capsule((0, 0, 0), (0, -0.085, 0), 0.057)),
    (Capsule((0, 0, 0), (0, -0.145, 0), 0.057), Capsule((0, 0, 0), (0, 0, 0.085), 0.057)),
    (Capsule((0, 0, -0.075), (0, 0, 0), 0.057), Capsule((0.0825, 0, 0), (0.0825, 0.065, 0), 0.057),
     Capsule((0, 0, -0.03), (0.0825, 0.01, 0), 0.05)),
    (Capsule((0, 0, 0), (0, 0, 0.065), 0.057), Capsule((-0.0825, 0, 0), (-0.0825, 0.08, 0), 0.057),
     Capsule((0, 0, 0.01), (-0.0825, 0.03, 0), 0.05)),
    (Capsule((0, 0, -0.21), (0, 0, -0.19), 0.058), Capsule((0, 0.05, -0.2), (0, 0.07, -0.09), 0.045),
     Capsule((0, 0.07, -0.09), (0, 0.07, 0), 0.052)),
    (Capsule((0, 0, -0.005), (0, 0, 0.012), 0.051), Capsule((0.088, -0.005, 0), (0.088, 0.035, 0), 0.047),
     Capsule((0, -0.005, 0), (0.088, -0.005, 0), 0.046)),
    (Capsule((0, 0, 0.055), (0, 0, 0.065), 0.047), Capsule((0, 0, 0.08), (0.047, 0.047, 0.08), 0.025)),
)
HAND = (Box((0, 0, 0.026), (0.063, 0.206, 0.08)),)
# A finger in its own frame: the block that slides in the hand, and the slim part behind the pad.
FINGER = (Box((0, 0.0145, 0.01), (0.021, 0.0235, 0.02)),
          Box((0, 0.0085, 0.037), (0.021, 0.011, 0.0338)))
