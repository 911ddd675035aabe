# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What is drawn of plans, failed targets and grasps."""

from __future__ import annotations

import math
import threading
from typing import Any

import numpy as np
import pytest
from replan_agent_export.drawing import ik_shapes, plan_shapes
from replan_agent_export.markers import ShownGrasps, TaskMarkers, marker_array
from visualization_msgs.msg import Marker, MarkerArray

from replan_agent.arms import franka_numbers as franka
from replan_agent.arms.franka import PANDA
from replan_agent.arms.franka_kinematics import FrankaKinematics
from replan_agent.domain.config import IKConfig
from replan_agent.domain.event import PlanMade, ScenePerceived, StepFinished
from replan_agent.domain.plan import Plan, PlanCause, Step
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.domain.skill import Reason, failed, succeeded
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.motion.grasping.grasps import ShapeGrasps
from replan_agent.motion.ik import ExactIK
from replan_agent.ros.rclpy_tools.node_process import Spinning
from replan_agent.ros.rclpy_tools.qos import LATCHED

CUBE = SceneObject('red_cube', Shape.BOX, (0.04, 0.04, 0.04), Pose((0.5, 0.1, 0.02)), 'red')
BOWL = SceneObject('bowl', Shape.BOWL, (0.16, 0.16, 0.06), Pose((0.4, -0.3, 0.03)))
SCENE = Scene('s', 1.5, (CUBE, BOWL), 'test', frame='fr3_link0')
STEPS = (Step(1, 'pick', {'object': 'red_cube'}), Step(2, 'place_in', {'container': 'bowl'}),
         Step(3, 'look'), Step(4, 'place_at', {'x': 0.3, 'y': 0.2}))
SKILLS = standard_skills().specs()
PLAN = Plan(1, 'put it in the bowl', STEPS, (), PlanCause.INITIAL, None, 's', 'test')
KINEMATICS = FrankaKinematics()
FAR = Pose.from_rpy(1.2, 0.0, 0.3, roll=math.pi)


def a_report() -> Any:
    report = ExactIK(PANDA, IKConfig()).solve(FAR, np.array(franka.HOME)).report
    assert report is not None
    return report


def texts(drawn: MarkerArray) -> list[str]:
    return [m.text for m in drawn.markers if m.type == Marker.TEXT_VIEW_FACING and m.text]


def ids_are_unique(drawn: MarkerArray) -> bool:
    added = [(m.ns, m.id) for m in drawn.markers if m.action == Marker.ADD]
    return len(set(added)) == len(added)


def test_a_plan_is_a_numbered_way_between_the_places_that_it_names() -> None:
    drawn = marker_array(plan_shapes(PLAN, SCENE, SKILLS), SCENE.frame, SCENE.stamp)
    assert drawn.markers[0].action == Marker.DELETEALL and ids_are_unique(drawn)
    assert texts(drawn) == ['1 pick', '2 place_in', '4 place_at']
    (way,) = (m for m in drawn.markers if m.type == Marker.LINE_STRIP)
    assert [(round(p.x, 3), round(p.y, 3)) for p in way.points] == [
        (0.5, 0.1), (0.4, -0.3), (0.3, 0.2)]
    assert {m.header.frame_id for m in drawn.markers} == {'fr3_link0'}
    assert way.header.stamp.sec == 1 and way.pose.orientation.w == 1.0


def test_a_failed_target_is_drawn_with_the_nearest_pose_and_the_distance() -> None:
    report = a_report()
    nearest = Pose.from_matrix(KINEMATICS.forward(np.array(report.joints)))
    drawn = marker_array(ik_shapes(report, nearest), report.frame, 2.0)
    assert ids_are_unique(drawn)
    (missing,) = (m for m in drawn.markers if m.ns == 'missing' and m.type == Marker.LINE_LIST)
    start, end = missing.points
    assert (end.x, end.z) == pytest.approx((1.2, 0.3))
    assert math.dist((start.x, start.y, start.z), nearest.position) < 1e-9
    assert math.dist((start.x, start.y, start.z), (end.x, end.y, end.z)) == pytest.approx(
        report.pos_err)
    assert texts(drawn) == [f'{100 * report.pos_err:.1f} cm, '
                            f'{math.degrees(report.rot_err):.0f}° missing']
    assert {m.ns for m in drawn.markers[1:]} == {'failed target', 'nearest', 'missing'}


class Viewer:
    """What was drawn last on a topic."""

    def __init__(self, node: Any, topic: str) -> None:
        self._news = threading.Condition()
        self._last: MarkerArray | None = None
        node.create_subscription(MarkerArray, topic, self._keep, LATCHED)

    def _keep(self, drawn: MarkerArray) -> None:
        with self._news:
            self._last = drawn
            self._news.notify_all()

    def shows(self, count: int) -> bool:
        with self._news:
            return self._news.wait_for(
                lambda: self._last is not None and len(self._last.markers) == count, 15)


def test_events_and_grasps_are_drawn_also_for_late_viewers(ros: Any) -> None:
    node, viewer = ros.create_node('drawing'), ros.create_node('viewer')
    with Spinning([node, viewer]):
        markers = TaskMarkers(node, PANDA)
        markers.show(ScenePerceived(SCENE, 0.1), lambda: SKILLS)
        markers.show(PlanMade(PLAN, 0.1), lambda: SKILLS)
        unreachable = failed(Reason.UNREACHABLE, 'too far', ik=a_report())
        markers.show(StepFinished(0, 1, STEPS[0], unreachable, 0.1), lambda: SKILLS)
        assert Viewer(viewer, 'plan_markers').shows(5)
        late = Viewer(viewer, 'ik_markers')
        assert late.shows(9)
        markers.show(StepFinished(0, 1, STEPS[0], succeeded(), 0.1), lambda: SKILLS)
        assert late.shows(1), 'a step that works takes it away'
        grasps = ShownGrasps(ShapeGrasps(PANDA.hand), node)
        first = grasps.candidates(CUBE, SCENE)
        next(first)
        first.close()  # the first one was good enough
        assert Viewer(viewer, 'grasp_markers').shows(2)
        assert grasps.narrowest_width(CUBE) == pytest.approx(0.04)
