"""Arm, things, plans and failed targets as drawings for Foxglove's 3D panel: pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from replan_agent.domain.franka_links import FINGER, HAND, LINKS, Capsule, Part
from replan_agent.domain.ik_report import IKReport
from replan_agent.domain.plan import Plan
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.scene import ROUND, Scene, SceneObject, Shape
from replan_agent.robot.mujoco.scene.scene_spec import COLOURS

Json = dict[str, Any]
Colour = tuple[float, float, float]

WHITE, BLUE, RED, GREEN, GREY = ((0.93, 0.93, 0.95), (0.2, 0.5, 1.0), (0.9, 0.1, 0.1),
                                 (0.1, 0.8, 0.2), (0.6, 0.6, 0.6))
AXES = (RED, GREEN, BLUE)
LINE_M, TEXT_M, AXIS_M, LIFT_M = 0.004, 0.025, 0.08, 0.06
ORIGIN = Pose((0.0, 0.0, 0.0))
PRIMITIVES = ('cubes', 'spheres', 'cylinders', 'lines', 'triangles', 'texts')
LINE_STRIP, LINE_LIST = 0, 2
ALL = 1  # what a deletion removes


def stamp(robot_s: float) -> Json:
    """Robot time as seconds and nanoseconds."""
    sec, nsec = divmod(round(robot_s * 1e9), 10**9)
    return {'sec': sec, 'nsec': nsec}


def xyz(values: Iterable[float]) -> Json:
    x, y, z = map(float, values)
    return {'x': x, 'y': y, 'z': z}


def pose_json(pose: Pose) -> Json:
    return {'position': xyz(pose.position), 'orientation': turn_json(pose)}


def turn_json(pose: Pose) -> Json:
    w, x, y, z = map(float, pose.quaternion)
    return {'x': x, 'y': y, 'z': z, 'w': w}


def transform(robot_s: float, parent: str, child: str, pose: Pose) -> Json:
    return {'timestamp': stamp(robot_s), 'parent_frame_id': parent, 'child_frame_id': child,
            'translation': xyz(pose.position), 'rotation': turn_json(pose)}


def update(robot_s: float, entities: Sequence[Json], clear: bool = True) -> Json:
    """A SceneUpdate; with `clear`, what was drawn before on its topic is removed."""
    old = [{'timestamp': stamp(robot_s), 'type': ALL, 'id': ''}] if clear else []
    return {'deletions': old, 'entities': list(entities)}


def entity(robot_s: float, frame: str, name: str, **primitives: list[Json]) -> Json:
    return {'timestamp': stamp(robot_s), 'frame_id': frame, 'id': name,
            'lifetime': {'sec': 0, 'nsec': 0}, 'frame_locked': True, 'metadata': [], 'arrows': [],
            'models': [], **{kind: primitives.get(kind, []) for kind in PRIMITIVES}}


def arm_entities(robot_s: float, model: str) -> list[Json]:
    """The arm's collision shapes, each in the frame of its link, which /tf moves."""
    parts: dict[str, Sequence[Part]] = {f'{model}_link{k}': p for k, p in enumerate(LINKS)}
    parts |= {f'{model}_hand': HAND, f'{model}_leftfinger': FINGER, f'{model}_rightfinger': FINGER}
    return [entity(robot_s, frame, frame, **_shapes(shapes)) for frame, shapes in parts.items()]


def _shapes(parts: Iterable[Part]) -> dict[str, list[Json]]:
    found: dict[str, list[Json]] = {'cubes': [], 'spheres': [], 'cylinders': []}
    for part in parts:
        if not isinstance(part, Capsule):
            found['cubes'].append(_body(Pose(part.centre), part.size, WHITE))
            continue
        start, end = np.array(part.start, float), np.array(part.end, float)
        width = 2 * part.radius
        found['spheres'] += [_body(Pose(tuple(p)), (width,) * 3, WHITE) for p in (start, end)]
        length = float(np.linalg.norm(end - start))
        found['cylinders'].append(_cylinder(_along(start, end), (width, width, length), WHITE))
    return found


def _along(start: FloatArray, end: FloatArray) -> Pose:
    """The pose between two points whose z axis goes from one to the other."""
    z = (end - start) / np.linalg.norm(end - start)
    x = np.cross(z, np.array((1.0, 0, 0) if abs(z[0]) < 0.9 else (0, 1.0, 0)))
    x = x / np.linalg.norm(x)
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = np.stack([x, np.cross(z, x), z], axis=1), (start + end) / 2
    return Pose.from_matrix(T)


def thing_entity(robot_s: float, frame: str, thing: SceneObject, pose: Pose) -> Json:
    """A thing with its name, at `pose` in `frame`."""
    kinds = {Shape.SPHERE: 'spheres', Shape.IRREGULAR: 'triangles',
             **dict.fromkeys(ROUND, 'cylinders')}
    kind, colour = kinds.get(thing.shape, 'cubes'), COLOURS.get(thing.colour, GREY)[:3]
    if kind == 'triangles':
        corners = [corner for piece in thing.pieces for corner in piece.triangles.reshape(-1, 3)]
        drawn: Json = {'pose': pose_json(pose), 'points': [xyz(c) for c in corners],
                       'color': _colour(colour), 'colors': [], 'indices': []}
    else:
        drawn = (_cylinder if kind == 'cylinders' else _body)(pose, thing.size, colour)
    above = pose.moved(dz=thing.size[2] / 2 + TEXT_M)
    return entity(robot_s, frame, thing.name,
                  **{kind: [drawn], 'texts': [_text(above.position, thing.name, WHITE)]})


def plan_entity(robot_s: float, plan: Plan, scene: Scene) -> Json:
    """A number and a name at each thing that a step names, and the way between them."""
    texts: list[Json] = []
    way: list[tuple[float, float, float]] = []
    for step in plan.steps:
        named = [thing for value in step.args.values() if isinstance(value, str)
                 and (thing := scene.get(value))]
        if named:
            x, y, _ = named[-1].position
            here = (x, y, named[-1].top_z + LIFT_M)
            height = TEXT_M * sum(place[:2] == here[:2] for place in way)
            way.append(here)
            texts.append(_text((x, y, here[2] + height), f'{step.step_number} {step.skill}',
                               WHITE))
    lines = [_line(way, BLUE, LINE_STRIP)] if len(way) > 1 else []
    return entity(robot_s, scene.frame, 'plan', texts=texts, lines=lines)


def ik_entity(robot_s: float, report: IKReport, nearest: Pose) -> Json:
    """A target that the arm cannot reach, the nearest pose that it can, and what is missing."""
    lines = []
    for pose in (report.target, nearest):
        T = pose.matrix()
        lines += [_line((T[:3, 3], T[:3, 3] + AXIS_M * T[:3, k]), AXES[k], LINE_LIST)
                  for k in range(3)]
    lines.append(_line((nearest.position, report.target.position), RED, LINE_LIST))
    missing = f'{100 * report.pos_err:.1f} cm, {np.degrees(report.rot_err):.0f}° missing'
    above = report.target.moved(dz=LIFT_M).position
    return entity(robot_s, report.frame, 'failed target', lines=lines,
                  texts=[_text(above, missing, RED)])


def _body(pose: Pose, size: Iterable[float], colour: Colour) -> Json:
    return {'pose': pose_json(pose), 'size': xyz(size), 'color': _colour(colour)}


def _cylinder(pose: Pose, size: Iterable[float], colour: Colour) -> Json:
    return {**_body(pose, size, colour), 'bottom_scale': 1.0, 'top_scale': 1.0}


def _line(points: Iterable[Iterable[float]], colour: Colour, kind: int) -> Json:
    return {'type': kind, 'pose': pose_json(ORIGIN), 'thickness': LINE_M,
            'scale_invariant': False, 'points': [xyz(p) for p in points],
            'color': _colour(colour), 'colors': [], 'indices': []}


def _text(where: Iterable[float], text: str, colour: Colour) -> Json:
    x, y, z = map(float, where)
    return {'pose': pose_json(Pose((x, y, z))), 'billboard': True, 'font_size': TEXT_M,
            'scale_invariant': False, 'color': _colour(colour), 'text': text}


def _colour(colour: Iterable[float]) -> Json:
    r, g, b = map(float, colour)
    return {'r': r, 'g': g, 'b': b, 'a': 1.0}
