# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Over ROS the chance is told where somebody measured: the question has it, and the events."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from action_msgs.msg import GoalStatus, GoalStatusArray
from rclpy.node import Node
from replan_agent_chance import twins
from replan_agent_chance.sampled_twin import Ran, Trial
from replan_agent_interfaces.action import ExecuteTask
from replan_agent_interfaces.msg import Event, Question
from replan_agent_sim.all_in_one import all_nodes
from rig import Caller, finished, overrides, spun, until

from replan_agent.agent.task_progress import State
from replan_agent.app.build.compose import Simulation
from replan_agent.app.build.config_file import load_config
from replan_agent.arms.known_arms import arm_named
from replan_agent.domain.approval_request import Approval, ApprovalRequest
from replan_agent.domain.config import ConfigError
from replan_agent.domain.context import CancelToken, Context
from replan_agent.ros.agent.clients import RosSkills
from replan_agent.ros.arm.arm_interfaces import WatchedArm
from replan_agent.ros.arm.arm_stop import ArmStop
from replan_agent.ros.nodes.agent_node import AgentNode
from replan_agent.ros.rclpy_tools.qos import EVENTS, LATCHED

TASK, SEED = 'put the red cube in the bowl', 61000
STATUS = 'panda_arm_controller/follow_joint_trajectory/_action/status'


class Denies:
    name = 'person'

    def approve(self, request: ApprovalRequest, ctx: Context) -> Approval:
        return Approval(False, self.name)

    def report_outcome(self, success: bool) -> None:
        """Nothing ran."""


@contextmanager
def graph(*more: Node, **given: Any) -> Iterator[Caller]:
    """A caller of the whole graph with the embedded world, at the speeds of config/sim.yaml."""
    usual = {'use_sim_time': True, 'scene': 'tabletop', 'seed': SEED, 'agent__chance': 'auto',
             'approver': 'remote', 'approval__timeout': 300.0,
             'motion__max_velocity_scaling_factor': 0.8,
             'motion__max_acceleration_scaling_factor': 0.6}
    with spun(*all_nodes(parameter_overrides=overrides(**{**usual, **given})), *more) as caller:
        yield caller


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of the twins that ran; in place of them all is well."""
    numbers: list[int] = []

    def twin(trial: Trial, number: int, ctx: Context) -> Ran:
        numbers.append(number)
        return Ran(len(trial.plan.steps), '', {})

    monkeypatch.setattr(twins, 'run_twin', twin)
    return numbers


def told_in(caller: Caller, **goal: Any) -> dict[str, Any]:
    """The chance in the result of a task whose plan a person is asked about, and in the question.
    """
    asked: list[Question] = []
    caller.create_subscription(Question, 'agent_node/question', asked.append, LATCHED)
    task = caller.send(TASK, **goal)
    task.reaches(lambda progress: progress.state is State.PENDING_APPROVAL)
    question = until(lambda: next((q for q in asked if q.kind == q.KIND_APPROVAL), None))
    task.cancel()
    (chance,) = json.loads(task.end().result.extra_json)['chances'].values()
    assert chance['said'] in list(question.reasons)
    return chance


def test_on_the_embedded_world_a_task_is_told_the_chance_that_it_has_in_process(ros: Any) -> None:
    config = load_config()
    config = replace(config, agent=replace(config.agent, chance='bad_camera'))
    with Simulation('tabletop', config=config, seed=SEED, approver=Denies()) as sim:
        (here,) = sim.run(TASK).extra['chances'].values()
    told: list[Event] = []
    with graph(agent__chance='bad_camera') as caller:
        caller.create_subscription(Event, 'events', told.append, EVENTS)
        there = told_in(caller)
        event = until(lambda: next((e for e in told if e.kind == e.KIND_REHEARSAL_FINISHED), None))
    assert 0 < here['worked'] < here['twins'] == 16
    assert there == json.loads(json.dumps(here)) == json.loads(event.data_json)['chance']


@pytest.mark.parametrize(('given', 'why'), [
    ({'robot__model': 'fr3'}, 'it is told only for the arm panda, not fr3'),
    pytest.param({'perception': 'camera'}, 'over ROS a camera does not say whether it is the '
                 'usual one', marks=pytest.mark.gl)])
def test_what_was_not_measured_stays_unknown(
        given: dict[str, Any], why: str, ros: Any, ran: list[int]) -> None:
    with graph(**given) as caller:
        told = told_in(caller)
    assert told['value'] is None and why in told['said'] and not ran


@pytest.mark.parametrize('own', [True, False])
def test_an_arm_that_another_node_moves_has_a_chance_only_with_a_file_of_its_own(
        own: bool, ros: Any, ran: list[int], tmp_path: Path) -> None:
    file = tmp_path / 'my_cell.yaml'
    file.write_text('own_m: 0.004\n', 'utf-8')
    driver = Node('driver')
    driver.create_publisher(GoalStatusArray, STATUS, 10)
    with graph(driver, agent__chance=str(file) if own else 'auto') as caller:
        told = told_in(caller)
    assert len(ran) == 16 * own and (told['value'] is not None) is own
    assert told['said'].startswith(
        'in simulated twins with the errors of my_cell.yaml, never compared with this arm, it '
        'works in 97 of 100' if own else 'how likely it works is not known: nobody measured')


@pytest.mark.gl
def test_a_goal_that_names_a_perception_has_the_chance_of_that(ros: Any, ran: list[int]) -> None:
    with graph() as caller:
        assert 'over ROS a camera does not say' in told_in(caller, perception='camera')['said']
    assert not ran


def test_a_goal_that_asks_a_person_has_the_number_and_no_mark(ros: Any, ran: list[int]) -> None:
    with graph(approver='adaptive', approval__ask_below=0.9) as caller:
        assert told_in(caller, approval='remote')['said'].startswith('works in 97 of 100')
    assert len(ran) == 16


def test_a_task_waits_until_it_sees_who_moves_the_arm(ros: Any) -> None:
    arm, later = ArmStop(Node('looks'), arm_named('panda'), WatchedArm()), []

    def appear() -> None:
        later.append(Node('sim_node'))
        later[0].create_publisher(GoalStatusArray, STATUS, 10)

    threading.Timer(0.3, appear).start()
    assert arm.moved_by(300.0, CancelToken()) == {'sim_node'}
    nobody = ArmStop(Node('looks_too'), arm_named('panda'), WatchedArm(trajectory_action='none'))
    cancelled = CancelToken()
    cancelled.cancel()
    assert nobody.moved_by(300.0, cancelled) == set()


def test_a_wrong_file_stops_the_node_at_its_start(ros: Any, tmp_path: Path) -> None:
    (tmp_path / 'wrong.yaml').write_text('own_m: [1]\n', 'utf-8')
    for named, why in (('nonsense', "'nonsense' is no file"), (str(tmp_path), 'is no file'),
                       (str(tmp_path / 'wrong.yaml'), 'own_m: must be a number from 0 to 0.2')):
        with pytest.raises(ConfigError, match=why):
            AgentNode(parameter_overrides=overrides(agent__chance=named))


@pytest.mark.parametrize('stop', [False, True])
def test_a_cancel_or_a_stop_ends_the_twins_and_the_next_task_has_all(
        stop: bool, ros: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[int] = []
    real = twins.run_twin

    def endless(trial: Trial, number: int, ctx: Context) -> Ran:
        begun.append(number)
        ctx.cancel.wait(300.0)
        return real(trial, number, ctx)  # ends as soon as it looks at the time

    with graph(approver='none') as caller:
        with monkeypatch.context() as patched:
            patched.setattr(twins, 'run_twin', endless)
            task = caller.send(TASK)
            until(lambda: begun)
            if stop:
                assert caller.trigger('stop').success
            else:
                assert len(task.cancel().goals_canceling) == 1
            answer = task.end(60.0)
        ended = answer.status, answer.result.final_reason, answer.result.error_code
        if stop:
            assert ended == (GoalStatus.STATUS_ABORTED, ExecuteTask.Result.FINAL_STOPPED,
                             ExecuteTask.Result.STOPPED)
            assert 'the stop service was called' in answer.result.final_detail
            assert caller.trigger('reset_stop').success
        else:
            assert ended[:2] == (GoalStatus.STATUS_CANCELED, ExecuteTask.Result.FINAL_CANCELLED)
        assert begun == [0]
        result = caller.run(TASK).result
        assert result.final_reason == ExecuteTask.Result.FINAL_APPROVAL_DENIED
        (chance,) = json.loads(result.extra_json)['chances'].values()
        assert chance['twins'] == 16


def test_a_stop_while_a_task_looks_for_who_moves_the_arm_ends_the_task(
        ros: Any, ran: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    real = RosSkills.for_task

    def for_task(skills: RosSkills, *given: Any) -> RosSkills:
        client = real(skills, *given)
        finished(client._asked)  # the permit is of before the stop
        return client

    monkeypatch.setattr(RosSkills, 'for_task', for_task)
    with graph(approver='auto') as caller:

        def stopped_meanwhile(*_: Any) -> set[str]:
            assert caller.trigger('stop').success and caller.trigger('reset_stop').success
            return {'sim_node'}

        monkeypatch.setattr(ArmStop, 'moved_by', stopped_meanwhile)
        result = caller.run(TASK).result
    assert result.final_reason == ExecuteTask.Result.FINAL_STOPPED and not result.success


def test_a_file_that_is_gone_refuses_the_task_and_leaves_no_folder(
        ros: Any, tmp_path: Path) -> None:
    file, runs = tmp_path / 'my_cell.yaml', tmp_path / 'runs'
    file.write_text('own_m: 0.004\n', 'utf-8')
    with graph(agent__chance=str(file), tasks__runs=str(runs)) as caller:
        file.unlink()
        result = caller.run(TASK).result
    assert result.error_code == result.REFUSED and 'is no file' in result.error_msg
    assert not list(runs.glob('*'))
