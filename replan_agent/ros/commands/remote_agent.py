"""A client of a running agent: looks, sends tasks, stops. It is what any ROS client can do."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import rclpy
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from replan_agent_interfaces.action import ExecuteTask
from replan_agent_interfaces.msg import Event as EventMsg
from sensor_msgs.msg import Image
from std_srvs.srv import Trigger
from unique_identifier_msgs.msg import UUID

from replan_agent.agent.task_progress import Progress
from replan_agent.domain.context import Context
from replan_agent.domain.plan import Step
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.robot_state import CameraError
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import SkillSpec
from replan_agent.record.run_folder import EVENTS, RESULT, as_json
from replan_agent.record.video import png
from replan_agent.ros.agent.clients import RosPerception, RosSkills
from replan_agent.ros.messages.call_messages import (
    TaskOrder,
    order_to_msg,
    progress_from_msg,
    task_result_from_msg,
)
from replan_agent.ros.messages.image_messages import rgb_from_msg
from replan_agent.ros.messages.message_fields import MessageError, id_from_msg, map_from_msg
from replan_agent.ros.rclpy_tools.action_port import GoalRefused
from replan_agent.ros.rclpy_tools.node_process import Spinning
from replan_agent.ros.rclpy_tools.qos import EVENTS as EVENTS_QOS
from replan_agent.ros.rclpy_tools.qos import NEWEST
from replan_agent.ros.rclpy_tools.service_port import ServicePort
from replan_agent.ros.rclpy_tools.timeouts import Timeouts
from replan_agent.ros.rclpy_tools.waiting import holds_in_time

from .send import task_port

PICTURE_S = 5.0  # for the next picture
LAST_EVENTS_S = 2.0  # for events that come after the result


class RemoteAgent:
    """The agent of a namespace. Without a node it starts rclpy, and `close` ends it."""

    def __init__(self, namespace: str = '', image_topic: str = 'camera/color/image_raw',
                 node: Node | None = None, timeouts: Timeouts | None = None) -> None:
        timeouts = timeouts or Timeouts()
        self._spinning = None
        if node is None:
            rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
            node = rclpy.create_node('replan_agent_client', namespace=namespace)
            self._spinning = Spinning([node])
            self._spinning.__enter__()
        self._task = task_port(node, timeouts.appear_timeout)
        self._perception = RosPerception(node, timeouts)
        self._skills = RosSkills(node, timeouts)
        self._pictures = _Pictures(node, image_topic)
        self._stop = ServicePort(node, Trigger, 'stop', 'skill_node', timeouts)
        self._reset = ServicePort(node, Trigger, 'reset_stop', 'skill_node', timeouts)
        self._log: _EventLog | None = None
        node.create_subscription(EventMsg, 'events', self._on_event, EVENTS_QOS)

    def observe(self) -> Scene:
        """What is seen now. Raises PerceptionError."""
        return self._perception.observe(Context())

    def picture(self) -> bytes:
        """What the camera sees now, as PNG. Raises CameraError."""
        return png(self._pictures.next())

    def skills(self) -> tuple[SkillSpec, ...]:
        return self._skills.for_task('').specs()

    def run(self, task: str, steps: tuple[Step, ...], approval: str | None, folder: Path,
            on_progress: Callable[[Progress], None], ctx: Context) -> Mapping[str, Any]:
        """The content of result.json, which is also written into the folder, with the events.

        Raises GoalRefused if the agent refuses the task, NodeLost if it is not there.
        """
        goal = order_to_msg(TaskOrder(task, approval=approval, steps=steps))
        goal_id = uuid.uuid4()
        folder.mkdir(parents=True, exist_ok=True)
        with _EventLog(folder / EVENTS, goal_id.hex) as self._log:
            answer = self._task.call(
                goal, ctx, lambda feedback: on_progress(progress_from_msg(feedback)),
                UUID(uuid=list(goal_id.bytes))).result
            if answer.error_code == ExecuteTask.Result.REFUSED:
                raise GoalRefused(f'agent_node refused the task: {answer.error_msg}')
            holds_in_time(self._log.is_complete, LAST_EVENTS_S, Context())
        result = {**task_result_from_msg(answer).as_dict(),
                  **map_from_msg(answer.recovery_json, 'recovery_json'),
                  'run_folder': answer.run_folder}
        (folder / RESULT).write_text(as_json(result, indent=2) + '\n', encoding='utf-8')
        return result

    def stop(self) -> str:
        """Stop the arm and latch. Returns why standstill is not confirmed, or ''."""
        answer = self._stop.call(Trigger.Request(), Context())
        return '' if answer.success else answer.message

    def reset_stop(self) -> tuple[bool, str]:
        """Release the latch: whether it worked, and a sentence."""
        answer = self._reset.call(Trigger.Request(), Context())
        return answer.success, answer.message

    def close(self) -> None:
        if self._spinning is not None:
            self._spinning.__exit__()
            rclpy.try_shutdown()

    def _on_event(self, msg: EventMsg) -> None:
        if self._log is not None:
            self._log.add(msg)


class _Pictures:
    """The pictures of a topic, whatever clock their stamps are of."""

    def __init__(self, node: Node, topic: str) -> None:
        self._topic = topic
        self._changed = threading.Condition()
        self._count, self._last = 0, Image()
        node.create_subscription(Image, topic, self._keep, NEWEST)

    def next(self) -> FloatArray:
        """The first picture (h, w, 3 uint8) that comes from now on. Raises CameraError."""
        with self._changed:
            before = self._count
            if not self._changed.wait_for(lambda: self._count > before, PICTURE_S):
                raise CameraError(f'no picture on {self._topic}; waited {PICTURE_S:g} s')
            last = self._last
        try:
            return rgb_from_msg(last)
        except MessageError as error:
            raise CameraError(str(error)) from error

    def _keep(self, msg: Image) -> None:
        with self._changed:
            self._count, self._last = self._count + 1, msg
            self._changed.notify_all()


class _EventLog:
    """Writes the events of one task into a file, as the agent does on its machine."""

    def __init__(self, path: Path, task_id: str) -> None:
        self._task_id = task_id
        self._lock = threading.Lock()
        self._file = path.open('w', encoding='utf-8')
        self._is_complete = False

    def __enter__(self) -> _EventLog:
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._file.close()

    def is_complete(self) -> bool:
        return self._is_complete

    def add(self, msg: EventMsg) -> None:
        with self._lock:
            if id_from_msg(msg.task_id) != self._task_id or self._file.closed:
                return
            stamp = msg.stamp.sec + msg.stamp.nanosec / 1e9
            line = {'event': msg.kind, 'ros_s': round(stamp, 6),
                    **map_from_msg(msg.data_json, 'data_json')}
            self._file.write(as_json(line) + '\n')
            self._file.flush()
            self._is_complete = msg.kind == EventMsg.KIND_TASK_FINISHED
