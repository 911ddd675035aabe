# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""guard_node stops an arm whose skill_node is dead, and leaves the motions of others alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from replan_agent_interfaces.action import ExecuteTask
from replan_agent_interfaces.msg import Heartbeat
from replan_agent_sim.sim_node import SimNode
from rig import Process, overrides, spun, until

from replan_agent.ros.arm.standstill import NoStandstill
from replan_agent.ros.messages.message_fields import id_to_msg
from replan_agent.ros.nodes.agent_node import AgentNode
from replan_agent.ros.nodes.guard_node import GuardNode
from replan_agent.ros.nodes.perception_node import PerceptionNode
from replan_agent.ros.nodes.planner_node import PlannerNode
from replan_agent.ros.nodes.starter_node import StarterNode
from replan_agent.ros.rclpy_tools.node_process import Spinning, destroy
from replan_agent.ros.rclpy_tools.qos import HEARTBEAT
from replan_agent.ros.safety.skill_heartbeat import BEAT_S, CHECKS, GuardConfig, SkillWatch

ROBOT_YAML = Path(__file__).resolve().parents[2] / 'config' / 'robot.yaml'
STANDSTILL = 0.01  # rad/s
TIMEOUT_S = 3.0  # a node on a busy machine may stall for longer than robot.yaml allows
BUSY_S = 3.0  # robot time that a busy machine may add
# The motion would go on for long, and the agent alone would take half a minute to notice.
SLOW: dict[str, Any] = {'use_sim_time': True, 'realtime_factor': 1.0,
                        'motion__max_velocity_scaling_factor': 0.02,
                        'motion__max_acceleration_scaling_factor': 0.02,
                        'guard__heartbeat_timeout': TIMEOUT_S, 'timeouts__silence_timeout': 30.0,
                        'timeouts__appear_timeout': 150.0, 'timeouts__answer_timeout': 30.0}


@pytest.mark.release
def test_an_arm_whose_skill_node_is_killed_is_stopped_and_the_next_one_takes_over(
        ros: Any) -> None:
    place: dict[str, Any] = {'namespace': 'guarded'}
    words: dict[str, Any] = {**SLOW, 'autostart': False, 'alive_timeout': 20.0}
    skills = Process('-m', 'replan_agent.ros.nodes.skill_node', **place, **words)
    sim, guard, *others = [make(parameter_overrides=overrides(**words), **place) for make in (
        SimNode, GuardNode, PerceptionNode, PlannerNode, AgentNode, StarterNode)]

    def speed() -> float:
        return float(np.abs(sim.robot.state().velocities).max())

    with skills, spun(sim, guard, *others, **place) as caller:
        caller.await_nodes(['skill_node'])
        task = caller.send('pick up the red cube')  # while the starter activates the nodes
        task.reaches(lambda progress: speed() > 2 * STANDSTILL)
        skills.kill()
        killed = sim.robot.state().stamp
        until(lambda: speed() < STANDSTILL)
        moved_s = sim.robot.state().stamp - killed
        why = until(lambda: guard.watch.alarm)
        answer = task.end()
        with Process('-m', 'replan_agent.ros.nodes.skill_node', **place, **words):
            after = caller.run('look again')  # while it starts
    assert why.startswith('no heartbeat of skill_node on skill_heartbeat for')
    assert moved_s < TIMEOUT_S + BUSY_S
    assert answer.result.final_reason == ExecuteTask.Result.FINAL_NODE_LOST
    assert 'NOT confirmed' not in answer.result.final_detail
    assert after.result.success, after.result.final_detail


def test_with_the_settings_of_a_real_arm_a_dead_skill_node_is_noticed_in_time_to_brake() -> None:
    config = yaml.safe_load(ROBOT_YAML.read_text('utf-8'))['/**']['ros__parameters']['guard']
    noticed_s = BEAT_S + config['heartbeat_timeout'] * (1 + 1 / CHECKS)
    assert noticed_s < 0.75, 'the arm must stand within 1 s'


COMMANDING, IDLE, OTHER_COMMANDING, OTHER_IDLE = (
    Heartbeat(process=id_to_msg(process * 16), commanding=commanding)
    for process in ('01', '02') for commanding in (True, False))


class Heart:
    """A heartbeat that a test sends, and the watch that hears it."""

    def __init__(self, node: Any) -> None:
        self.stops: list[str] = []
        self._publisher = node.create_publisher(Heartbeat, 'skill_heartbeat', HEARTBEAT)
        self.watch = SkillWatch(node, lambda: self.stops.append('stop'),
                                GuardConfig(heartbeat_timeout=0.5))

    def beat(self, beat: Heartbeat) -> None:
        before = self.watch._last_beat

        def heard() -> bool:
            self._publisher.publish(beat)
            return self.watch._last_beat > before

        until(heard)


@pytest.fixture
def heart(ros: Any) -> Iterator[Heart]:
    node = ros.create_node('heart', namespace='hearts')
    made = Heart(node)
    with Spinning([node]):
        yield made


def test_a_heartbeat_that_ends_in_a_command_stops_the_arm_once(heart: Heart) -> None:
    heart.beat(COMMANDING)
    until(lambda: heart.stops)
    assert 'no heartbeat of skill_node' in heart.watch.alarm
    heart.beat(IDLE)
    assert (heart.stops, heart.watch.alarm) == (['stop'], '')


def test_a_skill_node_that_ends_between_commands_stops_nothing(heart: Heart) -> None:
    heart.beat(IDLE)
    quiet = heart.watch._last_beat
    until(lambda: heart.watch._pause.looked - quiet > 2 * heart.watch._config.heartbeat_timeout)
    assert heart.stops == []


class Silent:
    """A watch that nobody spins: the test calls back, and chooses what a stop does."""

    def __init__(self, node: Any) -> None:
        self.stops: list[Exception | None] = []
        self.problem: Exception | None = None
        self.watch = SkillWatch(node, self._stop, GuardConfig(heartbeat_timeout=60.0))

    def _stop(self) -> None:
        self.stops.append(self.problem)
        if self.problem:
            raise self.problem

    def says(self) -> str:
        """What is on /diagnostics."""
        said: list[str] = []
        self.watch._diagnostics.publish = lambda level, text, values: said.append(text)
        self.watch._report()
        return said[-1]

    def hears(self, *beats: Heartbeat) -> None:
        for beat in beats:
            self.watch._on_beat(beat)


@pytest.fixture
def silent(ros: Any) -> Iterator[Silent]:
    node = ros.create_node('silent', namespace='hearts')
    yield Silent(node)
    destroy(node)


def test_a_skill_node_that_starts_again_within_the_timeout_does_not_hide_its_death(
        silent: Silent) -> None:
    silent.hears(COMMANDING, OTHER_IDLE)
    silent.watch._check()
    assert silent.stops == [None]
    assert 'started again' in silent.watch.alarm
    silent.hears(OTHER_IDLE)
    assert (silent.stops, silent.watch.alarm) == ([None], '')


def test_a_skill_node_that_starts_again_between_commands_stops_nothing(silent: Silent) -> None:
    silent.hears(COMMANDING, IDLE, OTHER_COMMANDING)
    assert silent.stops == []


@pytest.mark.parametrize('problem', [NoStandstill('it moves'), RuntimeError('a bug')])
def test_the_guard_tries_to_stop_until_the_arm_stands_still(silent: Silent,
                                                            problem: Exception) -> None:
    silent.problem = problem
    silent.hears(COMMANDING, OTHER_IDLE)
    silent.watch._check()
    silent.watch._check()
    assert silent.stops == [problem] * 2 and silent.watch.alarm
    assert 'may still move' in silent.says()
    silent.problem = None
    silent.watch._check()
    silent.watch._check()
    assert silent.stops == [problem, problem, None]
    assert silent.says().startswith('stopped: ')


def test_a_guard_that_ends_stops_an_arm_whose_command_does_not_end(ros: Any) -> None:
    node = GuardNode(parameter_overrides=overrides(timeouts__close_timeout=0.5), namespace='ends')
    stops: list[str] = []
    node._arm.stop = lambda: stops.append('stop')
    node.close()
    assert stops == [], 'nothing was commanded'
    node.watch._on_beat(COMMANDING)
    node.close()
    assert stops == ['stop']
    destroy(node)


def test_a_pause_of_the_guard_does_not_put_the_last_beat_into_the_future(silent: Silent) -> None:
    silent.watch._pause.looked -= 100.0  # paused, and a beat came before the first check
    silent.hears(COMMANDING)
    silent.watch._check()
    assert silent.watch._last_beat <= silent.watch._pause.looked
