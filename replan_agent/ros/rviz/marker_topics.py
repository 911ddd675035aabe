"""The marker topics: `plan_markers` and `ik_markers` of the agent, `grasp_markers` of the skills.

They are latched: a late viewer gets the last message of each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from rclpy.node import Node
from visualization_msgs.msg import MarkerArray

from replan_agent.arms.arm_model import ArmModel
from replan_agent.domain import event as events
from replan_agent.domain.ik_report import IKReport
from replan_agent.domain.plan import Plan
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.domain.skill import SkillSpec
from replan_agent.motion.motion_protocols import Grasp, GraspPlanner
from replan_agent.record.drawing import grasp_shape, ik_shapes, plan_shapes
from replan_agent.ros.rclpy_tools.qos import LATCHED

from .markers import marker_array

MOST_GRASPS = 40


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
