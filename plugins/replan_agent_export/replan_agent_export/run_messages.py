# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A recorded run as messages for Foxglove: pictures, joints, frames, scene, plan, log."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from replan_agent.arms.arm_names import DEFAULT_ARM
from replan_agent.arms.known_arms import arm_named
from replan_agent.domain.ik_report import IKReport
from replan_agent.domain.motion_sample import MotionSample, PoseNumbers
from replan_agent.domain.plan import Plan, Step
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.record.narrator import BAD, WARN, Narrator
from replan_agent.record.run_json import OTHER_VERSION, Json, RunUnreadable

from . import foxglove_drawing as draw
from .drawing import ORIGIN, ik_shapes, plan_shapes, thing_shapes
from .recorded_run import RecordedRun

CAMERA_FRAME = 'camera'
INFO = 2
LEVELS = {WARN: 3, BAD: 4}  # of the log, by the tone of a sentence
UNKNOWN_SIZE = (0.03, 0.03, 0.03)


class Message(NamedTuple):
    """One message: when (robot time, s), where, its type, and what it says."""

    robot_s: float
    topic: str
    type: str
    value: dict[str, Any]


def run_messages(run: RecordedRun) -> list[Message]:
    """All messages of a run in the order of robot time. Raises RunUnreadable."""
    try:
        story = _Story(run)
        found = [*story.start(), *(m for event in run.events for m in story.event(event))]
        if run.has_motion:
            found += [m for sample in run.motion() for m in story.motion(sample)]
    except OTHER_VERSION as error:
        raise RunUnreadable(f'{run.folder}: not the format of this version: '
                            f'{type(error).__name__}: {error}') from error
    return sorted(found, key=lambda message: message.robot_s)


class _Story:
    def __init__(self, run: RecordedRun) -> None:
        self._run = run
        settings = run.fact('settings')
        robot = settings.get('robot') if isinstance(settings, dict) else None
        told = robot.get('model') if isinstance(robot, dict) else ''
        self._arm = arm_named(str(run.fact('arm_model') or told or DEFAULT_ARM))
        self._base = str(run.fact('base_frame') or self._arm.base_frame)
        self._camera = run.camera()
        self._scene: Scene | None = None
        self._narrator = Narrator()
        self._phase = {'state': '', 'step': '', 'phase': '', 'plan_version': 0, 'retry': 0}

    def start(self) -> Iterator[Message]:
        """What does not change: the arm's shapes, the camera, and the things of the simulation."""
        now = float(self._run.events[0]['robot_s'])
        yield Message(now, '/arm', 'foxglove.SceneUpdate', draw.update(
            now, draw.arm_entities(now, self._arm)))
        if self._camera:
            pose = Pose.from_dict(self._camera['T_base_camera'])
            yield self._frames(now, '/tf_static', [(self._base, CAMERA_FRAME, pose)])
        first = next(self._run.motion(), None) if self._run.has_motion else None
        if first and first.objects:
            yield Message(now, '/world', 'foxglove.SceneUpdate', draw.update(
                now, [draw.entity(now, f'thing/{thing.name}', thing.name, thing_shapes(thing, at))
                      for thing, at in self._things(first)]))

    def _things(self, first: MotionSample) -> Iterator[tuple[SceneObject, Pose]]:
        """The simulation's things as the first look describes them, each in its own frame.

        What a camera sees has a frame of its own: its axes may be others.
        """
        look = next((e for e in self._run.events if e['event'] == 'scene_perceived'), None)
        seen = Scene.from_dict(look['scene']) if look else None
        for name, numbers in first.objects.items():
            thing = seen.get(name) if seen else None
            if thing is None:
                yield SceneObject(name, Shape.SPHERE, UNKNOWN_SIZE, ORIGIN), ORIGIN
                continue
            own = np.linalg.inv(_pose(numbers).matrix())
            yield thing, Pose.from_matrix(own @ thing.pose.matrix())

    def motion(self, sample: MotionSample) -> Iterator[Message]:
        now, hand = sample.robot_s, self._arm.gripper
        names = (*self._arm.joint_names, *hand.reads)
        fingers = [hand.commanded(sample.gripper_m)] * len(hand.reads)
        yield Message(now, '/joint_states', 'foxglove.JointStates', {
            'timestamp': draw.stamp(now),
            'joints': [{'name': name, 'position': float(position)}
                       for name, position in zip(names, (*sample.joints, *fingers))]})
        frames = self._arm.body_frames(np.array(sample.joints), sample.gripper_m)
        poses = [self._below(name, frames) for name in frames]
        poses += [(self._base, f'thing/{name}', _pose(numbers))
                  for name, numbers in sample.objects.items()]
        yield self._frames(now, '/tf', poses)

    def _below(self, name: str, frames: dict[str, FloatArray]) -> tuple[str, str, Pose]:
        """A part in the frame of what carries it, as a robot_state_publisher gives it."""
        above, T = self._arm.carriers[name], frames[name]
        if above in frames:
            T = np.linalg.inv(frames[above]) @ T
        return (self._arm.frame(above) if above in frames else self._base,
                self._arm.frame(name), Pose.from_matrix(T))

    @staticmethod
    def _frames(now: float, topic: str, poses: list[tuple[str, str, Pose]]) -> Message:
        return Message(now, topic, 'foxglove.FrameTransforms', {
            'transforms': [draw.transform(now, *each) for each in poses]})

    def event(self, event: Json) -> Iterator[Message]:
        now, kind = float(event['robot_s']), event['event']
        if 'picture' in event:
            yield from self._pictured(now, str(event['picture']))
        if kind == 'scene_perceived':
            self._scene = scene = Scene.from_dict(event['scene'])
            seen = [draw.entity(now, scene.frame, thing.name, thing_shapes(thing, thing.pose))
                    for thing in scene.objects]
            yield Message(now, '/scene', 'foxglove.SceneUpdate', draw.update(now, seen))
        elif kind in ('plan_made', 'plan_adapted'):
            plan = Plan.from_dict(event['plan'])
            yield Message(now, '/plan', 'replan_agent.Plan', {
                'timestamp': draw.stamp(now), 'version': plan.version, 'plan': event['plan']})
            if self._scene:
                yield self._marker(now, draw.entity(now, self._scene.frame, 'plan',
                                                    plan_shapes(plan, self._scene)))
        elif kind == 'attempt_recorded':
            yield Message(now, '/attempts', 'replan_agent.Attempt', {
                'timestamp': draw.stamp(now), 'attempt': event['attempt']})
        elif kind == 'step_finished' and not event['result']['success']:
            yield from self._failed_target(now, event['result'].get('ik'))
        yield from self._phases(now, event)
        for said in self._narrator.said(event):
            yield Message(now, '/log', 'foxglove.Log', {
                'timestamp': draw.stamp(now), 'level': LEVELS.get(said.tone, INFO),
                'message': said.line, 'name': kind, 'file': '', 'line': 0})

    def _pictured(self, now: float, name: str) -> Iterator[Message]:
        data = base64.b64encode(self._run.picture(name)).decode()
        yield Message(now, '/camera/image', 'foxglove.CompressedImage', {
            'timestamp': draw.stamp(now), 'frame_id': CAMERA_FRAME, 'data': data,
            'format': 'jpeg'})
        if self._camera:
            (fx, _, cx), (_, fy, cy), _ = K = self._camera['intrinsics']
            yield Message(now, '/camera/calibration', 'foxglove.CameraCalibration', {
                'timestamp': draw.stamp(now), 'frame_id': CAMERA_FRAME,
                'width': self._camera['width'], 'height': self._camera['height'],
                'distortion_model': '', 'D': [], 'K': [v for row in K for v in row],
                'R': [1, 0, 0, 0, 1, 0, 0, 0, 1],
                'P': [fx, 0, cx, 0, 0, fy, cy, 0, 0, 0, 1, 0]})

    def _failed_target(self, now: float, ik: Json | None) -> Iterator[Message]:
        if ik and len(ik['joints']) == self._arm.joint_count:
            report = IKReport.from_dict(ik)
            nearest = Pose.from_matrix(self._arm.kinematics.forward(np.array(report.joints)))
            yield self._marker(now, draw.entity(now, report.frame, 'failed target',
                                                ik_shapes(report, nearest)))

    @staticmethod
    def _marker(now: float, entity: dict[str, Any]) -> Message:
        return Message(now, '/markers', 'foxglove.SceneUpdate',
                       draw.update(now, [entity], clear=False))

    def _phases(self, now: float, event: Json) -> Iterator[Message]:
        kind = event['event']
        if kind == 'state_changed':
            self._phase = {**self._phase, 'state': event['state'], 'step': '', 'phase': ''}
        elif kind == 'step_started':
            self._phase |= {'step': Step.from_dict(event['step']).told, 'phase': '',
                            'plan_version': event['plan_version'], 'retry': event['retry']}
        elif kind == 'phase_started':
            self._phase |= {'phase': event['phase']}
        else:
            return
        yield Message(now, '/phase', 'replan_agent.Phase',
                      {'timestamp': draw.stamp(now), **self._phase})


def _pose(numbers: PoseNumbers) -> Pose:
    x, y, z, w, i, j, k = numbers
    return Pose((x, y, z), (w, i, j, k))
