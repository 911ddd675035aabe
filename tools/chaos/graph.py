"""The whole graph as processes that start again, and what an onlooker sees of it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from rclpy.node import Node
from replan_agent_interfaces.action import ExecuteTask
from replan_agent_interfaces.msg import Scene
from replan_agent_sim.truth_topic import TRUTH
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger
from unique_identifier_msgs.msg import UUID

from replan_agent.ros.messages.message_fields import time_from_msg
from replan_agent.ros.rclpy_tools.action_client import SteadyActionClient
from replan_agent.ros.rclpy_tools.qos import LATCHED, NEWEST
from replan_agent.ros.rclpy_tools.waiting import finished

DRIVER = 'sim_node'  # the arm's; it never starts again by itself
NODES = (DRIVER, 'perception_node', 'planner_node', 'skill_node', 'guard_node', 'starter_node',
         'agent_node')  # as launch/sim.launch.py starts them
ROOT = Path(__file__).resolve().parents[2]
RESPAWN_S, END_S = 1.0, 60.0
POLL_S = 0.1
AGAIN_S = 10.0  # a request to a process that was just discovered may get lost
# These are as on a real arm.
OF_A_REAL_ARM = ('guard.heartbeat_timeout', 'watchdog.heartbeat_timeout', 'tasks.heartbeat_rate',
                 'timeouts.silence_timeout', 'safety.joint_states_timeout',
                 'motion.max_velocity_scaling_factor', 'motion.max_acceleration_scaling_factor')
# As many times longer on a machine that is as many times slower, with the defaults of the others.
STRETCHED = {'timeouts.answer_timeout': 6.0, 'timeouts.appear_timeout': 20.0,
             'timeouts.stop_timeout': 15.0, 'timeouts.observe_timeout': 10.0,
             'agent.skill_timeout': 120.0, 'server_timeout': 5.0, 'driver_silence': 3.0,
             'state_max_age': 1.0, 'standstill_timeout': 5.0, 'camera_timeout': 5.0,
             'pause_limit': 2.0, 'alive_timeout': 1.0, 'check_period': 0.5,
             'realtime_factor': 1.0}
SETTINGS: dict[str, Any] = {
    'approver': 'auto', 'autostart': False, 'use_sim_time': True, 'safety.driver': 'sim',
    'image_rate': 1.0,
    'vlm.model': 'hangs', 'vlm.timeout': 10.0, 'vlm.max_retries': 0, 'vlm.remember': False}
MOVES = 0.01  # rad/s


class Caller(Node):
    """Sends tasks, and sees how fast the arm is and where things are."""

    def __init__(self) -> None:
        super().__init__('chaos')
        self._client = SteadyActionClient(self, ExecuteTask, 'execute_task')
        self.stamp = self.moved_at = 0.0  # robot time: now, and when the arm last moved
        self.speed = 0.0
        self.heard = 0.0  # monotonic time of the newest joint state
        self.heights: dict[str, float] = {}
        self.create_subscription(JointState, 'joint_states', self._on_joints, NEWEST)
        self.create_subscription(Scene, TRUTH, self._on_truth, LATCHED)

    def _on_joints(self, message: JointState) -> None:
        self.heard = time.monotonic()
        before, self.stamp = self.stamp, time_from_msg(message.header.stamp)
        if self.stamp < before:  # a new world
            self.moved_at = 0.0
        self.speed = max(map(abs, message.velocity[:7]))
        if self.speed > MOVES:
            self.moved_at = self.stamp

    def _on_truth(self, message: Scene) -> None:
        self.heights = {thing.name: thing.pose.position.z for thing in message.objects}

    def send(self, task: str, timeout_s: float, **goal: str) -> Any | None:
        """The future of the result, or None if no agent takes the task."""
        goal_id, is_again = UUID(uuid=list(uuid.uuid4().bytes)), False
        until = time.monotonic() + timeout_s
        while time.monotonic() < until:
            if not self._client.wait_for_server(timeout_sec=1.0):
                continue
            sent = self._client.send_goal_async(ExecuteTask.Goal(task=task, **goal),
                                                goal_uuid=goal_id)
            # Sent again, it is refused if the agent has it: then the first answer was lost.
            if finished(sent, AGAIN_S) and (sent.result().accepted or is_again):
                return sent.result().get_result_async()
            is_again = True
        return None

    def trigger(self, name: str, timeout_s: float = 10.0) -> Trigger.Response | None:
        client = self.create_client(Trigger, name)
        if not client.wait_for_service(timeout_s):
            return None
        asked = client.call_async(Trigger.Request())
        return asked.result() if finished(asked, timeout_s) else None


class Graph:
    """Starts the nodes; `signal` breaks one, and a thread starts the dead ones again.

    The arm's driver is the exception, as in the launch files: `repair` starts it.
    """

    def __init__(self, caller: Caller, folder: Path,
                 settings: Mapping[str, Any], slow: float = 1.0,
                 nodes: Sequence[str] = NODES) -> None:
        self.caller, self.folder, self.slow = caller, folder, slow
        self.put_right: list[Callable[[], object]] = []
        self._hanging = socket.create_server(('127.0.0.1', 0))  # takes requests, never answers
        port = self._hanging.getsockname()[1]
        values = {**SETTINGS, **settings,
                  'tasks.runs': str(folder / 'runs'), 'safety.stop_memory': str(folder / 'stops'),
                  'vlm.base_url': f'http://127.0.0.1:{port}/v1'}
        self._words = [word for name, value in values.items()
                       for word in ('-p', f'{name}:={_as_yaml(value)}')]
        self._log = (folder / 'graph.log').open('ab')
        self._processes = {name: self._started(name) for name in nodes}
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._tend, daemon=True)
        self._thread.start()

    def __enter__(self) -> Graph:
        return self

    def __exit__(self, *_: object) -> None:
        if not self._ending.is_set():
            self.interrupt()
        for name in self._processes:
            self.status(name)
        self._log.close()
        self._hanging.close()

    def interrupt(self) -> None:
        """Interrupt all processes, as Ctrl-C does."""
        self._ending.set()
        self._thread.join()
        for process in self._processes.values():
            process.send_signal(signal.SIGINT)

    def status(self, name: str, timeout_s: float = END_S) -> int:
        """The exit status of an interrupted process; one that does not end is killed."""
        process = self._processes[name]
        try:
            return process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()

    def pid(self, name: str) -> int:
        return self._processes[name].pid

    def is_alive(self, name: str) -> bool:
        process = self._processes.get(name)
        return process is None or process.poll() is None  # None: it is part of another

    def note(self, text: str) -> None:
        """Write a line into the log of the graph."""
        self._log.write(f'[chaos] [{time.time():.3f}] {text}\n'.encode())
        self._log.flush()

    def signal(self, name: str, number: int) -> None:
        os.kill(self.pid(name), number)

    def spoil(self, name: str, mode: str) -> None:
        """Spoil what a node sends, as bad_wire says, until it is repaired."""
        self._wire(name).write_text(mode, 'utf-8')
        self.put_right.append(lambda: self._wire(name).unlink(missing_ok=True))

    def unfinished(self) -> set[Path]:
        """The folders of tasks without a result.json."""
        return {events.parent for events in (self.folder / 'runs').glob('*/events.jsonl')
                if not (events.parent / 'result.json').exists()}

    def repair(self) -> None:
        while self.put_right:
            self.put_right.pop()()
        if not self.is_alive(DRIVER):
            self._processes[DRIVER] = self._started(DRIVER)

    def _started(self, name: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, '-m', 'tools.chaos.bad_wire', name, str(self._wire(name)),
             '--ros-args', *self._words], stdout=self._log, stderr=self._log, cwd=ROOT)

    def _wire(self, name: str) -> Path:
        return self.folder / f'{name}.wire'

    def _tend(self) -> None:
        died: dict[str, float] = {}
        while not self._ending.wait(POLL_S):
            for name, process in self._processes.items():
                if name == DRIVER or process.poll() is None:
                    continue
                if time.monotonic() > died.setdefault(name, time.monotonic()) + RESPAWN_S:
                    del died[name]
                    self._processes[name] = self._started(name)


def of_a_real_arm(slow: float = 1.0, speed: float = 0.0) -> dict[str, Any]:
    """The limits and timeouts of config/robot.yaml; `speed` replaces both motion factors.

    With `slow` robot time goes that many times slower, and all timeouts are as much longer: in
    robot time they are the same.
    """
    text = (ROOT / 'config' / 'robot.yaml').read_text('utf-8')
    sections = yaml.safe_load(text)['/**']['ros__parameters']
    values = {name: sections[name.split('.')[0]][name.split('.')[1]] for name in OF_A_REAL_ARM}
    times = STRETCHED | {name: value for name, value in values.items() if 'timeout' in name}
    values |= {name: value * slow for name, value in times.items()}
    values['realtime_factor'] = 1 / slow
    if speed:
        values |= {name: speed for name in values if name.endswith('_scaling_factor')}
    return values


def _as_yaml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"'{value}'" if isinstance(value, str) else repr(value)
