"""The arm's collision shapes: capsules and boxes around the real Franka's links.

All in the link's DH frame, in metres. The dimensions follow the published outline.
"""

from __future__ import annotations

from .arm_model import Box, Capsule, Part

# Some ends are longer than the shells, but only where they meet neighbours, which do not collide.
LINKS: tuple[tuple[Part, ...], ...] = (
    (Capsule((0, 0, 0.06), (0, 0, 0.09), 0.074), Capsule((-0.08, 0, 0.05), (0, 0, 0.05), 0.076),
     Box((-0.04, 0, 0.012), (0.225, 0.19, 0.024))),
    (Capsule((0, 0, -0.17), (0, 0, 0), 0.058), Capsule((0, 0, 0), (0, -0.08, 0), 0.058),
     Capsule((0, -0.02, -0.09), (0, -0.055, -0.035), 0.05)),
    (Capsule((0, 0, 0), (0, -0.17, 0), 0.058), Capsule((0, 0, 0), (0, 0, 0.08), 0.058),
     Capsule((0, -0.09, 0.02), (0, -0.035, 0.055), 0.05)),
    (Capsule((0, 0, -0.1), (0, 0, 0), 0.058), Capsule((0.0825, 0, 0), (0.0825, 0.07, 0), 0.058),
     Capsule((0, 0, -0.03), (0.0825, 0.01, 0), 0.055),
     Capsule((0.02, 0.02, -0.04), (0.06, 0.05, -0.02), 0.05)),
    (Capsule((0, 0, 0), (0, 0, 0.07), 0.058), Capsule((-0.0825, 0, 0), (-0.0825, 0.1, 0), 0.058),
     Capsule((0, 0, 0.01), (-0.0825, 0.03, 0), 0.055),
     Capsule((-0.0225, 0.02, 0.05), (-0.0625, 0.04, 0.02), 0.05)),
    (Capsule((0, 0, -0.235), (0, 0, -0.19), 0.058),
     Capsule((0, 0.04, -0.2), (0, 0.07, -0.09), 0.052),
     Capsule((0, 0.065, -0.09), (0, 0.075, 0), 0.055),
     Capsule((0, 0.04, 0), (0, 0.085, 0), 0.052)),
    (Capsule((0, 0, -0.015), (0, 0, 0.02), 0.051),
     Capsule((0.088, -0.015, 0), (0.088, 0.042, 0), 0.05),
     Capsule((0, -0.003, 0), (0.088, 0.005, 0), 0.05),
     Capsule((0.03, 0.02, 0), (0.07, 0.035, 0), 0.045)),
    (Capsule((0, 0, 0.058), (0, 0, 0.075), 0.05),
     Capsule((0.02, 0.02, 0.08), (0.05, 0.05, 0.08), 0.033)),
)
HAND = (Box((0, 0, 0.026), (0.063, 0.206, 0.08)),)
# A finger in its own frame: the block that slides in the hand, and the thin part behind the pad.
FINGER = (Box((0, 0.0145, 0.01), (0.021, 0.0235, 0.02)),
          Box((0, 0.0085, 0.037), (0.021, 0.011, 0.0338)))
