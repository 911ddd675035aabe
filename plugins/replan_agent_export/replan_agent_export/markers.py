# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Plain shapes as markers for RViz and Foxglove, and their topics.

These are `markers` of the perception, `plan_markers` and `ik_markers` of the agent, and
`grasp_markers` of the skills. They are latched: a late viewer gets the last message of each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
from geometry_msgs.msg import Vector3
from rclpy.node import Node
from std_msgs.msg import ColorRGBA, Header
from visualization_msgs.msg import Marker, MarkerArray

from replan_agent.arms.arm_model import ArmModel
from replan_agent.domain import event as events
from replan_agent.domain.ik_report import IKReport
from replan_agent.domain.plan import Plan
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.domain.skill import SkillSpec
from replan_agent.motion.motion_protocols import Grasp, GraspPlanner
from replan_agent.ros.messages.message_fields import (
    point_to_msg,
    pose_to_msg,
    size_to_msg,
    time_to_msg,
)
from replan_agent.ros.rclpy_tools.qos import LATCHED

from .drawing import Drawn, DrawnKind, grasp_shape, ik_shapes, plan_shapes, scene_shapes

TYPES = {DrawnKind.BOX: Marker.CUBE, DrawnKind.SPHERE: Marker.SPHERE,
         DrawnKind.CYLINDER: Marker.CYLINDER, DrawnKind.TRIANGLES: Marker.TRIANGLE_LIST,
         DrawnKind.LINES: Marker.LINE_LIST, DrawnKind.PATH: Marker.LINE_STRIP,
         DrawnKind.TEXT: Marker.TEXT_VIEW_FACING}
BODY_ALPHA = 0.8  # what is inside and behind a thing can be seen
MOST_GRASPS = 40


def marker_array(shapes: Iterable[Drawn], frame: str, stamp: float) -> MarkerArray:
    """A marker for each shape; removes what was drawn before."""
    header = Header(stamp=time_to_msg(stamp), frame_id=frame)
    return MarkerArray(markers=[Marker(header=header, action=Marker.DELETEALL),
                                *(_marker(shape, header, k) for k, shape in enumerate(shapes))])


def _marker(shape: Drawn, header: Header, number: int) -> Marker:
    r, g, b = shape.colour
    is_thin = shape.kind in (DrawnKind.LINES, DrawnKind.PATH, DrawnKind.TEXT)
    return Marker(header=header, ns=shape.group, id=number, action=Marker.ADD,
                  type=TYPES[shape.kind], pose=pose_to_msg(shape.pose), text=shape.text,
                  scale=Vector3(x=1.0, y=1.0, z=1.0) if shape.kind is DrawnKind.TRIANGLES
                  else size_to_msg(shape.size), points=list(map(point_to_msg, shape.points)),
                  color=ColorRGBA(r=r, g=g, b=b, a=1.0 if is_thin else BODY_ALPHA))


class SceneMarkers:
    """Draws the last scene."""

    def __init__(self, node: Node) -> None:
        self._topic = node.create_publisher(MarkerArray, 'markers', LATCHED)

    def show(self, scene: Scene) -> None:
        self._topic.publish(marker_array(scene_shapes(scene), scene.frame, scene.stamp))


class TaskMarkers:
    """Draws the plan of a task and its failed target, from the events."""

    def __init__(self, node: Node, arm: ArmModel) -> None:
        self._kinematics = arm.kinematics
        self._plan = node.create_publisher(MarkerArray, 'plan_markers', LATCHED)
        self._ik = node.create_publisher(MarkerArray, 'ik_markers', LATCHED)
        self._scene: Scene | None = None

    def show(self, event: events.Event, skills: Callable[[], Sequence[SkillSpec]]) -> None:
        """Draw what the event changes; `skills` returns the skills of the task."""
        match event:
            case events.ScenePerceived():
                self._scene = event.scene
            case events.PlanMade() if self._scene:
                self._show_plan(event.plan, self._scene, skills())
            case events.PlanAdapted() if self._scene:
                self._show_plan(event.running, self._scene, skills())
            case events.StepFinished() if event.result.ik and not event.result.success:
                self._show_failed(event.result.ik)
            case events.StepFinished() if event.result.success and self._scene:
                self._ik.publish(marker_array((), self._scene.frame, self._scene.stamp))

    def _show_plan(self, plan: Plan, scene: Scene, skills: Sequence[SkillSpec]) -> None:
        self._plan.publish(marker_array(plan_shapes(plan, scene, skills), scene.frame,
                                        scene.stamp))

    def _show_failed(self, report: IKReport) -> None:
        if len(report.joints) != len(self._kinematics.limits.names):
            return
        nearest = Pose.from_matrix(self._kinematics.forward(np.array(report.joints)))
        stamp = self._scene.stamp if self._scene else 0.0
        self._ik.publish(marker_array(ik_shapes(report, nearest), report.frame, stamp))


class ShownGrasps:
    """A grasp planner that draws the candidates it was asked for."""

    def __init__(self, grasps: GraspPlanner, node: Node) -> None:
        self._grasps = grasps
        self._topic = node.create_publisher(MarkerArray, 'grasp_markers', LATCHED)
        self.narrowest_width = grasps.narrowest_width

    def candidates(self, thing: SceneObject, scene: Scene) -> Iterator[Grasp]:
        asked: list[Grasp] = []
        try:
            for grasp in self._grasps.candidates(thing, scene):
                asked.append(grasp)
                yield grasp
        finally:
            forks = [grasp_shape(one.kind.value, one.tcp, one.opening, one.tier)
                     for one in asked[:MOST_GRASPS]]
            self._topic.publish(marker_array(forks, scene.frame, scene.stamp))
