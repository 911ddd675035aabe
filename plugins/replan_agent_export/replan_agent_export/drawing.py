# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Scenes, plans, failed targets and grasps as plain shapes, for every 3D view.

A plan is a numbered path from object to object. A failed target is shown with the nearest pose
that the arm can reach. A grasp candidate is a small fork at the place of the fingers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from replan_agent.domain.ik_report import IKReport
from replan_agent.domain.plan import Plan, Step
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.scene import COLOURS, ROUND, Scene, SceneObject, Shape
from replan_agent.domain.skill import SkillSpec, find_spec

LINE_M, TEXT_M, AXIS_M, FORK_M = 0.004, 0.03, 0.08, 0.04
LIFT_M = 0.06  # the path of a plan is above the objects
WHITE, BLUE, RED, GREEN = (1.0, 1.0, 1.0), (0.2, 0.5, 1.0), (0.9, 0.1, 0.1), (0.1, 0.8, 0.2)
AXES = (RED, GREEN, BLUE)
TIERS = (GREEN, (0.9, 0.8, 0.1), (0.9, 0.5, 0.1))  # of grasps: best first
ORIGIN = Pose((0.0, 0.0, 0.0))

Triple = tuple[float, float, float]


class DrawnKind(Enum):
    BOX = 'box'
    SPHERE = 'sphere'
    CYLINDER = 'cylinder'
    TRIANGLES = 'triangles'
    LINES = 'lines'  # each pair of points
    PATH = 'path'  # from point to point
    TEXT = 'text'


BODIES = {Shape.SPHERE: DrawnKind.SPHERE, Shape.IRREGULAR: DrawnKind.TRIANGLES,
          **dict.fromkeys(ROUND, DrawnKind.CYLINDER)}


@dataclass(frozen=True)
class Drawn:
    """One shape. `points` are in the frame of its pose. Shapes of one `group` belong together.

    `size` (m) is that of a body; of lines the first is their thickness, of a text the last is its
    height.
    """

    kind: DrawnKind
    group: str
    colour: Triple
    size: Triple
    pose: Pose = ORIGIN
    points: tuple[Triple, ...] = ()
    text: str = ''


def thing_shapes(thing: SceneObject, pose: Pose) -> list[Drawn]:
    """A thing at a pose, and its name above it."""
    kind = BODIES.get(thing.shape, DrawnKind.BOX)
    corners = [corner for piece in thing.pieces for corner in piece.triangles.reshape(-1, 3)]
    above = pose.moved(dz=thing.size[2] / 2 + TEXT_M)
    return [Drawn(kind, 'objects', COLOURS.get(thing.colour, COLOURS['grey']), thing.size, pose,
                  _points(corners)),
            _text('names', np.array(above.position), thing.name, WHITE)]


def scene_shapes(scene: Scene) -> list[Drawn]:
    """A body and a name for each object."""
    return [shape for thing in scene.objects for shape in thing_shapes(thing, thing.pose)]


def plan_shapes(plan: Plan, scene: Scene, skills: Sequence[SkillSpec] = ()) -> list[Drawn]:
    """A numbered label above each place that a step names, and the path between them.

    Without its skill, a step has no place but the things that it names.
    """
    drawn: list[Drawn] = []
    places: list[FloatArray] = []
    for step in plan.steps:
        place = _place(step, scene, find_spec(skills, step.skill))
        if place is None:
            continue
        here = sum(bool(np.allclose(place, other)) for other in places)
        places.append(place)
        drawn.append(_text('plan', place + [0.0, 0.0, LIFT_M + here * TEXT_M],
                           f'{step.step_number} {step.skill}', WHITE))
    if len(places) > 1:
        path = [place + [0.0, 0.0, LIFT_M / 2] for place in places]
        drawn.append(_lines('way', path, BLUE, kind=DrawnKind.PATH))
    return drawn


def ik_shapes(report: IKReport, nearest: Pose) -> list[Drawn]:
    """An unreachable target, the nearest reachable pose, and the distance between them."""
    drawn = [_lines(name, _axis(pose, axis), colour, thickness_m)
             for name, pose, thickness_m in (('failed target', report.target, 2 * LINE_M),
                                             ('nearest', nearest, LINE_M))
             for axis, colour in enumerate(AXES)]
    start, end = (np.array(pose.position) for pose in (nearest, report.target))
    text = f'{100 * report.pos_err:.1f} cm, {np.degrees(report.rot_err):.0f}° missing'
    return [*drawn, _lines('missing', (start, end), RED),
            _text('missing', end + [0.0, 0.0, LIFT_M], text, RED)]


def grasp_shape(kind: str, tcp: Pose, opening_m: float, tier: int) -> Drawn:
    """A grasp as the fork of its fingers; green is the best tier."""
    T, half = tcp.matrix(), opening_m / 2
    fork = [(0, s * half, z) for s in (-1, 1) for z in (-FORK_M, 0)]
    fork += [(0, -half, -FORK_M), (0, half, -FORK_M), (0, 0, -FORK_M), (0, 0, -2 * FORK_M)]
    return _lines(kind, [T[:3, 3] + T[:3, :3] @ np.array(p) for p in fork],
                  TIERS[min(tier, len(TIERS) - 1)])


def _place(step: Step, scene: Scene, spec: SkillSpec | None) -> FloatArray | None:
    """The top of the last object that a step names, or its point; None without them."""
    seen = [thing for value in step.args.values() if isinstance(value, str)
            and (thing := scene.get(value))]
    if seen:
        return np.array([*seen[-1].position[:2], seen[-1].top_z])
    point = spec.effect.point(step.args) if spec else None
    return None if point is None else np.array([*point, 0.0])


def _axis(pose: Pose, axis: int) -> list[FloatArray]:
    T = pose.matrix()
    return [T[:3, 3], T[:3, 3] + AXIS_M * T[:3, axis]]


def _lines(group: str, points: Iterable[FloatArray], colour: Triple, thickness_m: float = LINE_M,
           kind: DrawnKind = DrawnKind.LINES) -> Drawn:
    return Drawn(kind, group, colour, (thickness_m, 0.0, 0.0), points=_points(points))


def _text(group: str, where: FloatArray, text: str, colour: Triple) -> Drawn:
    x, y, z = map(float, where)
    return Drawn(DrawnKind.TEXT, group, colour, (0.0, 0.0, TEXT_M), Pose((x, y, z)), text=text)


def _points(points: Iterable[FloatArray]) -> tuple[Triple, ...]:
    return tuple((float(x), float(y), float(z)) for x, y, z in points)
