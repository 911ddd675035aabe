# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The end of a film about a target out of reach: the target, and how far the arm gets."""

from __future__ import annotations

import math
from collections.abc import Iterator

import cv2
import numpy as np

from replan_agent.domain.ik_report import IKReport
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.task_result import TaskResult
from replan_agent.robot.mujoco.camera import MujocoCamera
from replan_agent.robot.mujoco.world import World

STRETCH_FRAMES, HOLD_FRAMES = 40, 40  # at 20 pictures per second
REACH, TARGET = (40, 160, 70), (220, 50, 40)  # RGB
NEAR_M = 0.05  # nearer to the camera than this is not drawn
FONT, SIZE = cv2.FONT_HERSHEY_SIMPLEX, 0.6


def missed_target(result: TaskResult) -> IKReport | None:
    """The report about the target that ended the task because it is out of reach."""
    if result.success or not result.attempts:
        return None
    last = result.attempts[-1]
    cause = last.diagnosis.cause if last.diagnosis else None
    ended_it = cause is not None and cause.value in result.causes
    known = last.ik is not None and not last.ik.converged and bool(last.ik.joints)
    return last.ik if ended_it and known else None


def reach_frames(world: World, ik: IKReport, width: int, height: int) -> Iterator[FloatArray]:
    """Pictures of the arm as it stretches to the nearest posture, in a copy: nothing moves."""
    shown = world.without_state().with_state()
    shown.data.qpos[:] = world.data.qpos
    n, end = len(ik.joints), np.asarray(ik.joints)
    start = shown.data.qpos[:n].copy()
    camera = MujocoCamera(shown)
    try:
        for part in np.clip(np.arange(STRETCH_FRAMES + HOLD_FRAMES) / STRETCH_FRAMES, 0, 1):
            shown.data.qpos[:n] = start + (end - start) * (1 - math.cos(math.pi * part)) / 2
            frame = np.ascontiguousarray(camera.render_rgb(width, height))
            yield _annotated(frame, camera, ik)
    finally:
        camera.close()


def _annotated(frame: FloatArray, camera: MujocoCamera, ik: IKReport) -> FloatArray:
    """The picture with a ring at the end of the reach, a cross at the target, and a caption."""
    height, width = frame.shape[:2]
    T_camera_base = np.linalg.inv(camera.pose().matrix())
    project = camera.intrinsics(width, height) @ T_camera_base[:3]
    x, y, z = ik.target.position
    away = math.hypot(x, y)
    (target,) = _pixels(project, [(x, y, z)])
    if target is not None:
        cv2.drawMarker(frame, target, TARGET, cv2.MARKER_TILTED_CROSS, 24, 3)
        _label(frame, f'target: {away:.2f} m', (target[0] + 14, target[1] - 14), TARGET)
    if ik.out_of_reach_m is not None:
        reach = away - ik.out_of_reach_m
        turns = math.atan2(y, x) + np.linspace(-math.pi / 2, math.pi / 2, 61)
        ring = _pixels(project, [(reach * math.cos(a), reach * math.sin(a), z) for a in turns])
        for one, other in zip(ring, ring[1:]):
            if one is not None and other is not None:
                cv2.line(frame, one, other, REACH, 3, cv2.LINE_AA)
        if ring[30] is not None:
            _label(frame, f'reach: {reach:.2f} m', (ring[30][0] - 60, ring[30][1] + 26), REACH)
    _label(frame, 'not executed: the nearest that the arm gets', (12, height - 14), (60, 60, 60))
    return frame


def _pixels(project: FloatArray, points: list[tuple[float, float, float]],
            ) -> list[tuple[int, int] | None]:
    """Where points of the base frame are in the picture; None behind the camera."""
    found = [project @ [*point, 1.0] for point in points]
    return [(round(u / w), round(v / w)) if w > NEAR_M else None for u, v, w in found]


def _label(frame: FloatArray, text: str, at: tuple[int, int], colour: tuple[int, int, int],
           ) -> None:
    """Text on a light border, inside the picture."""
    (wide, high), _ = cv2.getTextSize(text, FONT, SIZE, 2)
    at = (max(4, min(at[0], frame.shape[1] - wide - 4)),
          max(high + 4, min(at[1], frame.shape[0] - 6)))
    cv2.putText(frame, text, at, FONT, SIZE, (255, 255, 255), 5, cv2.LINE_AA)
    cv2.putText(frame, text, at, FONT, SIZE, colour, 2, cv2.LINE_AA)
