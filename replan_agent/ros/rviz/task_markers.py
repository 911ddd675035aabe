"""Plans and failures as markers for RViz and Foxglove: pure functions.

A plan is a numbered path from object to object. A failed target is shown with the nearest pose
that the arm can reach. A grasp candidate is a small fork at the place of the fingers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from geometry_msgs.msg import Point
from std_msgs.msg import ColorRGBA, Header
from visualization_msgs.msg import Marker, MarkerArray

from replan_agent.domain.ik_report import IKReport
from replan_agent.domain.plan import Plan, Step
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import SkillSpec, find_spec
from replan_agent.motion.motion_protocols import Grasp
from replan_agent.ros.messages.message_fields import pose_to_msg, time_to_msg

LINE_M, TEXT_M, AXIS_M, FORK_M = 0.004, 0.03, 0.08, 0.04
LIFT_M = 0.06  # the path of a plan is above the objects
WHITE, BLUE, RED, GREEN = ((1.0, 1.0, 1.0), (0.2, 0.5, 1.0), (0.9, 0.1, 0.1), (0.1, 0.8, 0.2))
AXES = (RED, GREEN, (0.1, 0.2, 0.9))
TIERS = (GREEN, (0.9, 0.8, 0.1), (0.9, 0.5, 0.1))  # of grasps: best first
MOST_GRASPS = 40

Colour = tuple[float, float, float]
ORIGIN = Pose((0.0, 0.0, 0.0))


def make_header(frame: str, stamp: float) -> Header:
    return Header(stamp=time_to_msg(stamp), frame_id=frame)


def cleared(frame: str, stamp: float) -> MarkerArray:
    """Markers that remove what was drawn before."""
    return MarkerArray(markers=[Marker(header=make_header(frame, stamp), action=Marker.DELETEALL)])


def plan_markers(plan: Plan, scene: Scene, skills: Sequence[SkillSpec]) -> MarkerArray:
    """A numbered label at each place that a step names, and the path between them."""
    drawn, header = cleared(scene.frame, scene.stamp), make_header(scene.frame, scene.stamp)
    places: list[FloatArray] = []
    for step in plan.steps:
        place = _place(step, scene, find_spec(skills, step.skill))
        if place is None:
            continue
        here = sum(bool(np.allclose(place, other)) for other in places)
        places.append(place)
        above = place + [0.0, 0.0, LIFT_M + here * TEXT_M]
        drawn.markers.append(_text(header, 'plan', len(drawn.markers), above,
                                   f'{step.step_number} {step.skill}', WHITE))
    if len(places) > 1:
        path = [place + [0.0, 0.0, LIFT_M / 2] for place in places]
        drawn.markers.append(_line(header, 'way', 0, path, BLUE, Marker.LINE_STRIP))
    return drawn


def ik_markers(report: IKReport, nearest: Pose, stamp: float) -> MarkerArray:
    """An unreachable target, the nearest reachable pose, and the distance between them."""
    drawn, header = cleared(report.frame, stamp), make_header(report.frame, stamp)
    for name, pose, thick in (('failed target', report.target, 2.0), ('nearest', nearest, 1.0)):
        for axis, colour in enumerate(AXES):
            ends = _axis(pose, axis)
            marker = _line(header, name, axis, ends, colour, Marker.LINE_LIST)
            marker.scale.x *= thick
            drawn.markers.append(marker)
    ends = [np.array(pose.position) for pose in (nearest, report.target)]
    drawn.markers.append(_line(header, 'missing', 0, ends, RED, Marker.LINE_LIST))
    text = f'{100 * report.pos_err:.1f} cm, {np.degrees(report.rot_err):.0f}° missing'
    drawn.markers.append(_text(header, 'missing', 1, ends[1] + [0, 0, LIFT_M], text, RED))
    return drawn


def grasp_markers(grasps: Sequence[Grasp], frame: str, stamp: float) -> MarkerArray:
    """Each candidate as the fork of its fingers; green is the best tier."""
    drawn, header = cleared(frame, stamp), make_header(frame, stamp)
    for number, grasp in enumerate(grasps[:MOST_GRASPS]):
        colour = TIERS[min(grasp.tier, len(TIERS) - 1)]
        drawn.markers.append(_line(header, grasp.kind.value, number, _fork(grasp), colour,
                                   Marker.LINE_LIST))
    return drawn


def _place(step: Step, scene: Scene, spec: SkillSpec | None) -> FloatArray | None:
    """The place of a step: the last object that it names, or its point; None without them."""
    seen = [thing for value in step.args.values() if isinstance(value, str)
            and (thing := scene.get(value))]
    if seen:
        return np.array(seen[-1].position)
    point = spec.effect.point(step.args) if spec else None
    return None if point is None else np.array([*point, 0.0])


def _axis(pose: Pose, axis: int) -> list[FloatArray]:
    T = pose.matrix()
    return [T[:3, 3], T[:3, 3] + AXIS_M * T[:3, axis]]


def _fork(grasp: Grasp) -> list[FloatArray]:
    """Pairs of points: the two fingers, the palm between them, and the approach."""
    T, half = grasp.tcp.matrix(), grasp.opening / 2
    points = [(0, s * half, z) for s in (-1, 1) for z in (-FORK_M, 0)]
    points += [(0, -half, -FORK_M), (0, half, -FORK_M), (0, 0, -FORK_M), (0, 0, -2 * FORK_M)]
    return [T[:3, 3] + T[:3, :3] @ np.array(p) for p in points]


def _line(header: Header, ns: str, number: int, points: Iterable[FloatArray], colour: Colour,
          kind: int) -> Marker:
    marker = Marker(header=header, ns=ns, id=number, type=kind, action=Marker.ADD,
                    pose=pose_to_msg(ORIGIN), color=_rgba(colour),
                    points=[Point(x=float(x), y=float(y), z=float(z)) for x, y, z in points])
    marker.scale.x = LINE_M
    return marker


def _text(header: Header, ns: str, number: int, where: FloatArray, text: str,
          colour: Colour) -> Marker:
    pose = pose_to_msg(Pose((float(where[0]), float(where[1]), float(where[2]))))
    marker = Marker(header=header, ns=ns, id=number, type=Marker.TEXT_VIEW_FACING,
                    action=Marker.ADD, pose=pose, color=_rgba(colour), text=text)
    marker.scale.z = TEXT_M
    return marker


def _rgba(colour: Colour) -> ColorRGBA:
    r, g, b = colour
    return ColorRGBA(r=r, g=g, b=b, a=1.0)
