#!/usr/bin/env python3
"""Writes config/scenes/*/*.obj: everyday things made of convex parts, by code of ours.

Each part is the convex hull of a few points and an object (`o`) of its own in the file. Units are
metres, z is up, the thing lies as it would on a table. Run it from the repository's root.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from replan_agent.domain.piece import Piece  # noqa: E402

SCENES = ROOT / 'config' / 'scenes'
Points = np.ndarray


def box(low: Sequence[float], high: Sequence[float]) -> Points:
    """The corners of a box."""
    corners = np.array(list(np.ndindex(2, 2, 2)))
    return np.asarray(low) + corners * (np.asarray(high) - np.asarray(low))


def disc(at: Sequence[float], radius: float, axis: int = 2, sides: int = 12) -> Points:
    """Points on a circle about one of the axes."""
    turn = 2 * math.pi * (np.arange(sides) + 0.5) / sides
    ring = np.insert(np.column_stack([np.cos(turn), np.sin(turn)]) * radius, axis, 0.0, axis=1)
    return ring + np.asarray(at)


def tube(*discs: Points) -> Points:
    """The solid between discs."""
    return np.concatenate(discs)


def ball(at: Sequence[float], radii: Sequence[float]) -> Points:
    """An ellipsoid of five rings."""
    rings = [disc((0, 0, math.sin(t)), math.cos(t), sides=10)
             for t in np.radians((-75, -40, 0, 40, 75))]
    return np.concatenate(rings) * np.asarray(radii) + np.asarray(at)


def bottle() -> list[Points]:
    """158 mm high, 58 mm across, with a neck and a cap: it stands, and tips when it is pushed."""
    return [tube(disc((0, 0, 0), 0.029), disc((0, 0, 0.105), 0.029)),
            tube(disc((0, 0, 0.105), 0.029), disc((0, 0, 0.130), 0.013)),
            tube(disc((0, 0, 0.130), 0.013), disc((0, 0, 0.158), 0.013))]


def mug() -> list[Points]:
    """80 mm across, 90 mm high, with a handle: a floor, 14 walls and 3 bars."""
    sides, outer, inner, height = 14, 0.040, 0.0355, 0.090
    turn = 2 * math.pi * np.arange(sides + 1) / sides
    rim = np.column_stack([np.cos(turn), np.sin(turn)])
    walls = [np.concatenate([np.insert(rim[k:k + 2] * r, 2, z, axis=1)
                             for r in (inner, outer) for z in (0.0, height)])
             for k in range(sides)]
    floor = tube(disc((0, 0, 0), inner + 0.001), disc((0, 0, 0.006), inner + 0.001))
    return [floor, *walls,
            box((0.037, -0.006, 0.066), (0.068, 0.006, 0.076)),
            box((0.059, -0.006, 0.020), (0.068, 0.006, 0.076)),
            box((0.037, -0.006, 0.020), (0.068, 0.006, 0.030))]


def hammer() -> list[Points]:
    """A round handle of 200 mm and a head across it, lying on its side."""
    return [tube(disc((-0.13, 0, 0.014), 0.013, 0), disc((0.07, 0, 0.014), 0.010, 0)),
            box((0.062, -0.035, 0.000), (0.088, 0.020, 0.028)),
            tube(disc((0.075, 0.020, 0.014), 0.010, 1), disc((0.075, 0.032, 0.014), 0.014, 1),
                 disc((0.075, 0.045, 0.014), 0.014, 1))]


def spatula() -> list[Points]:
    """A flat blade on a long handle that rises from it."""
    return [box((0.06, -0.035, 0.0), (0.15, 0.035, 0.003)),
            np.concatenate([box((0.02, -0.010, 0.0), (0.065, 0.010, 0.004)),
                            box((0.0, -0.007, 0.006), (0.005, 0.007, 0.016))]),
            tube(disc((-0.12, 0, 0.013), 0.011, 0), disc((0.005, 0, 0.011), 0.008, 0))]


def banana() -> list[Points]:
    """Bent: seven short tubes on an arc, lying on its side."""
    bend, radius = math.radians(85), 0.11
    turn = np.linspace(-bend / 2, bend / 2, 8)
    thick = 0.018 * np.array([0.35, 0.8, 0.95, 1.0, 1.0, 0.95, 0.8, 0.35])
    rings = []
    for t, r in zip(turn, thick):
        ring = disc((0, 0, 0), r, 0, 8)
        x, y, z = ring.T
        c, s = math.cos(t), math.sin(t)
        rings.append(np.column_stack([s * radius + c * x + s * y, -c * radius + s * x - c * y, z]))
    return [tube(a, b) for a, b in zip(rings, rings[1:])]


def t_piece() -> list[Points]:
    """A bar with a second one at its middle."""
    return [box((-0.06, 0.02, 0), (0.06, 0.05, 0.03)),
            box((-0.015, -0.06, 0), (0.015, 0.02, 0.03))]


def l_piece() -> list[Points]:
    """Two bars at a corner."""
    return [box((-0.05, -0.05, 0), (0.05, -0.022, 0.028)),
            box((-0.05, -0.022, 0), (-0.022, 0.06, 0.028))]


def spanner() -> list[Points]:
    """A flat handle with an open jaw at one end and a ring at the other."""
    turn = 2 * math.pi * np.arange(9) / 8
    rim = np.column_stack([np.cos(turn), np.sin(turn)])
    ring = [np.concatenate([np.insert(rim[k:k + 2] * r, 2, z, axis=1) + (-0.085, 0, 0)
                            for r in (0.010, 0.019) for z in (0.0, 0.010)]) for k in range(8)]
    return [box((-0.070, -0.008, 0.0), (0.055, 0.008, 0.010)),
            box((0.053, -0.020, 0.0), (0.072, 0.020, 0.010)),
            box((0.070, 0.010, 0.0), (0.094, 0.020, 0.010)),
            box((0.070, -0.020, 0.0), (0.094, -0.010, 0.010)), *ring]


def toy_dog() -> list[Points]:
    """A body on four legs, with a head, a snout, ears and a tail."""
    legs = [box((x - 0.008, y - 0.008, 0.0), (x + 0.008, y + 0.008, 0.034))
            for x in (-0.035, 0.030) for y in (-0.016, 0.016)]
    return [ball((0, 0, 0.046), (0.052, 0.025, 0.021)), *legs,
            ball((0.056, 0, 0.074), (0.024, 0.020, 0.020)),
            box((0.070, -0.009, 0.062), (0.094, 0.009, 0.076)),
            *(box((0.044, y - 0.004, 0.086), (0.056, y + 0.004, 0.104)) for y in (-0.014, 0.014)),
            tube(disc((-0.048, 0, 0.052), 0.006, 0, 6), disc((-0.075, 0, 0.076), 0.004, 0, 6))]


THINGS: dict[str, Callable[[], list[Points]]] = {
    'banana': banana, 'hammer': hammer, 'l_piece': l_piece, 'mug': mug, 'spanner': spanner,
    'spatula': spatula, 't_piece': t_piece, 'toy_dog': toy_dog,
}


def obj_text(name: str, parts: Iterable[Points]) -> str:
    """The parts as an OBJ file, to a hundredth of a millimetre."""
    lines, before = [f'# {name}, in metres. Written by tools/make_things.py.'], 1
    for number, points in enumerate(parts):
        triangles = Piece.around(np.round(points, 5)).triangles
        corners, index = np.unique(triangles.reshape(-1, 3), axis=0, return_inverse=True)
        lines.append(f'o part_{number}')
        lines += [f'v {x:.5f} {y:.5f} {z:.5f}' for x, y, z in corners + 0.0]
        lines += [f'f {a} {b} {c}' for a, b, c in index.reshape(-1, 3) + before]
        before += len(corners)
    return '\n'.join(lines) + '\n'


def main() -> None:
    for folder, made in (('things', THINGS), ('desk', {'bottle': bottle})):
        (SCENES / folder).mkdir(exist_ok=True)
        for name, make in made.items():
            (SCENES / folder / f'{name}.obj').write_text(obj_text(name, make()))


if __name__ == '__main__':
    main()
