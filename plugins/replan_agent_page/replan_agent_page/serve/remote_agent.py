# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A client of a running agent: looks, sends tasks, stops. It is what any ROS client can do."""

from __future__ import annotations

import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import rclpy
from rcl_interfaces.srv import GetParameters
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from replan_agent_interfaces.action import ExecuteTask
from replan_agent_interfaces.msg import Event as EventMsg
from replan_agent_interfaces.msg import Question as QuestionMsg
from replan_agent_interfaces.srv import ApprovePlan, GiveHint, ListSkills
from std_srvs.srv import Trigger
from unique_identifier_msgs.msg import UUID

from replan_agent.agent.task_progress import Progress
from replan_agent.domain.context import Context
from replan_agent.domain.plan import Plan, Step
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import SkillSpec
from replan_agent.domain.task_result import TaskResult
from replan_agent.record.line_file import LineFile
from replan_agent.record.lost_run import WRITER
from replan_agent.record.picture import png
from replan_agent.record.run_folder import EVENTS, RESULT, as_json, write_json
from replan_agent.ros.agent.clients import RosPerception
from replan_agent.ros.arm.arm_interfaces import CameraInterfaces
from replan_agent.ros.commands.send import task_port
from replan_agent.ros.messages.message_fields import (
    MessageError,
    id_from_msg,
    id_to_msg,
    map_from_msg,
    time_from_msg,
)
from replan_agent.ros.messages.message_table import from_msg, specs_from_msgs, to_msg
from replan_agent.ros.messages.task_order import TaskOrder
from replan_agent.ros.rclpy_tools.action_port import GoalRefused
from replan_agent.ros.rclpy_tools.node_process import Spinning
from replan_agent.ros.rclpy_tools.qos import EVENTS as EVENTS_QOS
from replan_agent.ros.rclpy_tools.qos import LATCHED
from replan_agent.ros.rclpy_tools.service_port import ServicePort
from replan_agent.ros.rclpy_tools.timeouts import Timeouts
from replan_agent.ros.rclpy_tools.waiting import holds_in_time
from replan_agent.text.file_bytes import NotWritten

from .watched_camera import WatchedCamera

CLIENT = 'replan_agent_client'  # the name of its node
PICTURE_S = 5.0  # for the next picture
LAST_EVENTS_S = 2.0  # for events that come after the result
SAID_AS = {QuestionMsg.KIND_NONE: '', QuestionMsg.KIND_HINT: EventMsg.KIND_HUMAN_ASKED,
           QuestionMsg.KIND_APPROVAL: EventMsg.KIND_APPROVAL_PENDING}


class HeardEvent(NamedTuple):
    """An event of any task, as the agent publishes it; `data` is as in events.jsonl."""

    task_id: str
    kind: str
    stamp_s: float
    data: Mapping[str, Any]


class HeardQuestion(NamedTuple):
    """What the agent waits for, also if it asked before we were there."""

    task_id: str
    task: str
    kind: str  # the event that says the same; '' if nothing waits
    data: Mapping[str, Any]  # as in that event


class RemoteAgent:
    """The agent of a namespace. Without a node it starts rclpy, and `close` ends it."""

    def __init__(self, namespace: str = '', image_topic: str = 'camera/color/image_raw',
                 node: Node | None = None, timeouts: Timeouts | None = None) -> None:
        timeouts = timeouts or Timeouts()
        self._spinning = None
        if node is None:
            rclpy.init(args=sys.argv, signal_handler_options=SignalHandlerOptions.NO)
            node = rclpy.create_node(CLIENT, namespace=namespace)
            self._spinning = Spinning([node])
            self._spinning.__enter__()
        self._task = task_port(node, timeouts.appear_timeout)
        self._perception = RosPerception(node, timeouts)
        self._list = ServicePort(node, ListSkills, 'list_skills', 'skill_node', timeouts)
        self.camera = WatchedCamera(node, _camera_names(image_topic))
        self._stop = ServicePort(node, Trigger, 'stop', 'skill_node', timeouts)
        self._reset = ServicePort(node, Trigger, 'reset_stop', 'skill_node', timeouts,
                                  once=True)  # a late one would release a newer stop
        self._approve = ServicePort(node, ApprovePlan, 'approve_plan', 'agent_node', timeouts)
        self._give_hint = ServicePort(node, GiveHint, 'give_hint', 'agent_node', timeouts,
                                      once=True)
        self._settings = ServicePort(node, GetParameters, 'agent_node/get_parameters',
                                     'agent_node', timeouts)
        self._log: _EventLog | None = None
        self.task_id = ''  # of the last task of this client
        self.on_event: Callable[[HeardEvent], None] = lambda event: None
        self._node, self._logger = node, node.get_logger()
        node.create_subscription(EventMsg, 'events', self._on_event, EVENTS_QOS)

    def hear_questions(self, on_question: Callable[[HeardQuestion], None]) -> None:
        """Call it with each question from now on, and first with the one that waits."""
        def heard(msg: QuestionMsg) -> None:
            try:
                question = _heard_question(msg)
            except (MessageError, KeyError, ValueError) as error:
                self._logger.warning(f'a question cannot be read: {error}')
            else:
                on_question(question)

        self._node.create_subscription(QuestionMsg, 'agent_node/question', heard, LATCHED)

    def observe(self) -> Scene:
        """What is seen now. Raises PerceptionError."""
        return self._perception.observe(Context())

    def picture(self) -> bytes:
        """What the camera sees now, as PNG. Raises CameraError."""
        return png(self.camera.next(PICTURE_S))

    def skills(self) -> tuple[SkillSpec, ...]:
        return tuple(specs_from_msgs(self._list.call(ListSkills.Request(), Context()).skills))

    def viewpoint(self) -> str:
        """Whose left and right the words of a task mean."""
        asked = GetParameters.Request(names=['viewpoint'])
        return str(self._settings.call(asked, Context()).values[0].string_value)

    def run(self, task: str, steps: tuple[Step, ...], approval: str | None, folder: Path,
            on_progress: Callable[[Progress], None], ctx: Context,
            hints: tuple[str, ...] = ()) -> Mapping[str, Any]:
        """The content of result.json, which is also written into the folder, with the events.

        What cannot be written here is named in its `not_recorded`: the task is done all the same.

        Raises GoalRefused if the agent refuses the task, NodeLost if it is not there.
        """
        goal = to_msg(TaskOrder(task, approval=approval, steps=steps, scene_hints=hints))
        goal_id = uuid.uuid4()
        self.task_id = goal_id.hex
        folder.mkdir(parents=True, exist_ok=True)
        with _EventLog(folder / EVENTS, goal_id.hex) as self._log:
            answer = self._task.call(
                goal, ctx, lambda feedback: on_progress(from_msg(Progress, feedback)),
                UUID(uuid=list(goal_id.bytes))).result
            if answer.error_code == ExecuteTask.Result.REFUSED:
                raise GoalRefused(f'agent_node refused the task: {answer.error_msg}')
            holds_in_time(self._log.is_complete, LAST_EVENTS_S, Context())
        result = {**from_msg(TaskResult, answer).as_dict(), 'run_folder': answer.run_folder}
        result['not_recorded'] = result['not_recorded'] or self._log.problem
        try:
            write_json(folder / RESULT, result)
        except NotWritten as error:
            result['not_recorded'] = str(error)
        return result

    def stop(self) -> str:
        """Stop the arm and latch. Returns why standstill is not confirmed, or ''."""
        answer = self._stop.call(Trigger.Request(), Context())
        return '' if answer.success else answer.message

    def decide(self, task_id: str, version: int, request: int, approved: bool, who: str,
               detail: str = '', edit: str = '') -> str:
        """Answer a question about a plan. Returns why the answer does not count, or ''."""
        answer = self._approve.call(ApprovePlan.Request(
            task_id=id_to_msg(task_id), plan_version=version, request=request, approved=approved,
            approver=who, detail=detail, edit=edit), Context())
        return str(answer.error_msg)

    def give_hint(self, task_id: str, hint: str) -> str:
        """Give a hint to a task. Returns why it was not taken, or ''."""
        answer = self._give_hint.call(GiveHint.Request(
            task_id=id_to_msg(task_id), hint=hint), Context())
        return str(answer.error_msg)

    def reset_stop(self) -> tuple[bool, str]:
        """Release the latch: whether it worked, and a sentence."""
        answer = self._reset.call(Trigger.Request(), Context())
        return answer.success, answer.message

    def close(self) -> None:
        if self._spinning is not None:
            self._spinning.__exit__()
            rclpy.try_shutdown()

    def _on_event(self, msg: EventMsg) -> None:
        try:
            event = HeardEvent(id_from_msg(msg.task_id), msg.kind, time_from_msg(msg.header.stamp),
                               map_from_msg(msg.data_json, 'data_json'))
        except MessageError as error:
            self._logger.warning(f'an event cannot be read: {error}', throttle_duration_sec=10.0)
            return
        if self._log is not None:
            self._log.add(event)
        self.on_event(event)


def _heard_question(msg: QuestionMsg) -> HeardQuestion:
    data: dict[str, Any] = {}
    if msg.kind == QuestionMsg.KIND_APPROVAL:
        (plan,) = msg.plan
        data = {'plan_version': plan.version, 'plan': from_msg(Plan, plan).as_dict(),
                'request': plan.request, 'reasons': list(msg.reasons)}
    elif msg.kind == QuestionMsg.KIND_HINT:
        data = {'question': msg.question}
    return HeardQuestion(id_from_msg(msg.task_id), msg.task, SAID_AS[msg.kind], data)


def _camera_names(image_topic: str) -> CameraInterfaces:
    """The topics of the camera: its info is beside its pictures, its pose one folder higher."""
    folder = f'/{image_topic}'.rpartition('/')[0]
    camera = folder.rpartition('/')[0]
    return CameraInterfaces(
        color_image=image_topic, camera_info=_like(image_topic, f'{folder}/camera_info'),
        camera_pose=_like(image_topic, f'{camera}/pose'))


def _like(topic: str, other: str) -> str:
    """The other topic, absolute only if the first is."""
    return other if topic.startswith('/') else other.lstrip('/')


class _EventLog:
    """Writes the events of one task into a file, as the agent does on its machine."""

    def __init__(self, path: Path, task_id: str) -> None:
        self._task_id, self._started = task_id, time.monotonic()
        self._lock = threading.Lock()
        self._file = LineFile(path)
        self._is_complete = False
        self.problem = ''  # why the file is not complete

    def __enter__(self) -> _EventLog:
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock, self._noted():
            self._file.close()

    @contextmanager
    def _noted(self) -> Iterator[None]:
        """A disk that is full must not end the executor that calls us."""
        try:
            yield
        except NotWritten as error:
            self.problem = str(error)

    def is_complete(self) -> bool:
        return self._is_complete

    def add(self, event: HeardEvent) -> None:
        with self._lock:
            if event.task_id != self._task_id or self._file.closed:
                return
            line = {'event': event.kind, 'wall_s': round(time.monotonic() - self._started, 6),
                    'robot_s': round(event.stamp_s, 6), **_as_heard(event.data)}
            with self._noted():
                self._file.add(as_json(line))
                self._file.flush()
            self._is_complete = event.kind == EventMsg.KIND_TASK_FINISHED


def _as_heard(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """Without the name of the agent, which would close this record if it started again."""
    facts = data.get('facts')
    if not isinstance(facts, dict):
        return data
    return {**data, 'facts': {name: value for name, value in facts.items() if name != WRITER}}
