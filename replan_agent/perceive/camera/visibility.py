"""Whether a thing could be seen where it is believed to be."""

from __future__ import annotations

import itertools

import numpy as np

from replan_agent.domain.scene import SceneObject

from .view import View

IN_FRONT_M = 0.02  # how much nearer than the thing something else is that hides it
BEHIND_M = 0.008  # how much farther than the thing is what is seen in its place
# Points inside the thing as shares of its half size: those near the table are as near to it as
# the table itself.
_LATTICE = np.array(list(itertools.product((-0.8, 0.0, 0.8), (-0.8, 0.0, 0.8), (0.0, 0.4, 0.8))))


def hidden_share(view: View, thing: SceneObject) -> float:
    """The share of the thing that something nearer, or the rim of the picture, hides."""
    return _shares(view, thing)[0]


def seen_through_share(view: View, thing: SceneObject) -> float:
    """The share of the thing behind which the camera sees: 1 where nothing stands."""
    return _shares(view, thing)[1]


def _shares(view: View, thing: SceneObject) -> tuple[float, float]:
    half = np.asarray(thing.size) / 2
    T = thing.pose.matrix()
    expected = view.project(_LATTICE * half @ T[:3, :3].T + T[:3, 3])
    columns, rows = (np.rint(expected[:, i]).astype(int) for i in (0, 1))
    inside = ((expected[:, 2] > 0) & (rows >= 0) & (columns >= 0) & (rows < view.height_px)
              & (columns < view.width_px))
    measured = np.zeros(len(expected))
    measured[inside] = view.depth[rows[inside], columns[inside]]
    in_front = measured < expected[:, 2] - float(np.linalg.norm(half)) - IN_FRONT_M
    behind = measured > expected[:, 2] + BEHIND_M
    blind = measured == 0  # no depth, or out of the picture
    return float(np.mean(~inside | (in_front & ~blind))), float(np.mean(behind))
