# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Nodes of arm and camera are configured and activated; nothing moves while one is missing.

A task under a starter is in test_guard.py.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from lifecycle_msgs.msg import State, Transition
from lifecycle_msgs.srv import ChangeState, GetState
from rclpy.callback_groups import ReentrantCallbackGroup
from replan_agent_sim.sim_node import SimNode
from rig import WAIT_S, finished, overrides, spun, until

from replan_agent.domain.context import Context
from replan_agent.ros.nodes.guard_node import GuardNode
from replan_agent.ros.nodes.perception_node import PerceptionNode
from replan_agent.ros.nodes.skill_node import SkillNode
from replan_agent.ros.nodes.starter_node import LOST, Managed, StarterNode
from replan_agent.ros.rclpy_tools.node_process import Spinning, destroy

PATIENT = {'alive_timeout': 20.0, 'check_period': 0.1}


def made(*kinds: Any, namespace: str, **parameters: Any) -> list[Any]:
    given = overrides(**{'autostart': False, 'use_sim_time': True, **PATIENT, **parameters})
    return [kind(parameter_overrides=given, namespace=namespace) for kind in kinds]


def state(node: Any) -> int:
    return int(node._state_machine.current_state[0])


def test_an_arm_without_a_driver_is_not_configured(ros: Any) -> None:
    (node,) = made(SkillNode, namespace='armless')
    with Spinning([node]):
        node.trigger_configure()
        assert state(node) == State.PRIMARY_STATE_UNCONFIGURED
        assert 'skill_node is not active' in node._refusal()


def test_skill_node_is_deactivated_without_the_guard_but_not_without_perception(ros: Any) -> None:
    nodes = made(SimNode, PerceptionNode, SkillNode, GuardNode, StarterNode, namespace='unguarded')
    skills, starter = nodes[2], nodes[-1]
    sight, guard = starter._managed[:2]
    with Spinning(nodes):
        until(lambda: not skills.inactive)
        guard.activated = lambda state: False
        until(lambda: skills.inactive)
        assert 'skill_node is not active (guard_node ' in skills._refusal()
        assert not nodes[1].inactive, 'what only looks goes on'
        del guard.activated
        until(lambda: not skills.inactive)
        sight.activated = lambda state: False
        until(lambda: starter._told.startswith('perception_node'))
        assert not skills.inactive


def test_one_late_answer_is_no_loss_but_a_node_that_answers_nothing_is_lost(ros: Any) -> None:
    server, caller = (ros.create_node(name, namespace='late') for name in ('server', 'caller'))
    asked, over = list[int](), threading.Event()

    def answer(_: Any, response: GetState.Response) -> GetState.Response:
        asked.append(len(asked))
        if asked[-1] != 1:  # the first and all later ones are late
            over.wait(WAIT_S)
        response.current_state.id = ACTIVE
        return response

    server.create_service(GetState, 'node/get_state', answer,
                          callback_group=ReentrantCallbackGroup())
    with Spinning([server, caller]):
        managed = Managed(caller, 'node', 4.0, Context())
        until(managed._get._client.service_is_ready)
        assert managed.state() == ACTIVE and len(asked) == 2
        assert managed.state() == LOST
        over.set()
        until(lambda: len(asked) == 4)


@pytest.mark.parametrize(('age_s', 'level'), [(0.0, 'info'), (60.0, 'error')])
def test_a_driver_that_is_not_there_yet_is_an_error_only_after_a_while(
        ros: Any, age_s: float, level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (node,) = made(GuardNode, namespace='starts')
    node._born -= age_s
    said: list[str] = []
    log = SimpleNamespace(**{name: lambda text, name=name, **_: said.append(name)
                             for name in ('info', 'error')})
    monkeypatch.setattr(node, 'get_logger', lambda: log)
    node.on_configure(None)
    assert said == [level]
    destroy(node)


UNCONFIGURED, INACTIVE, ACTIVE = (State.PRIMARY_STATE_UNCONFIGURED, State.PRIMARY_STATE_INACTIVE,
                                  State.PRIMARY_STATE_ACTIVE)


class Told(Managed):
    """A node in the states that a test says; `answer` is that to each change."""

    def __init__(self, node: Any) -> None:
        super().__init__(node, 'skill_node', 1.0, Context())
        self.changes: list[int] = []
        self.answer: bool | None = True

    def change(self, transition: int) -> bool | None:
        self.changes.append(transition)
        return self.answer

    def check(self, *states: int) -> bool:
        """Whether it is active after the last of these checks."""
        return [self.activated(self.noted(state)) for state in states][-1]


@pytest.fixture
def told(ros: Any) -> Iterator[Told]:
    node = ros.create_node('starter', namespace='by_hand')
    yield Told(node)
    destroy(node)


@pytest.mark.parametrize('states', [
    [ACTIVE, INACTIVE], [ACTIVE, INACTIVE, UNCONFIGURED], [ACTIVE, UNCONFIGURED],
    [ACTIVE, INACTIVE, LOST, UNCONFIGURED], [INACTIVE]])
def test_the_starter_does_not_activate_what_a_person_took_out(told: Told,
                                                              states: list[int]) -> None:
    assert not told.check(*states) and told.changes == []
    assert 'taken out by a person' in told.why_not(states[-1])
    assert told.check(ACTIVE)
    assert told.check(LOST, UNCONFIGURED), 'a node that starts again is activated'


def test_the_starter_activates_what_it_deactivated_itself(told: Told) -> None:
    told.check(ACTIVE)
    told.deactivate()
    assert told.check(UNCONFIGURED)


def test_a_person_who_deactivates_before_the_starter_does_is_not_overruled(told: Told) -> None:
    told.check(ACTIVE)
    told.answer = False
    told.deactivate()
    told.answer = True
    assert not told.check(INACTIVE)


def test_the_starter_goes_on_after_a_lost_answer(told: Told) -> None:
    told.answer = None
    assert not told.check(UNCONFIGURED)
    told.answer = True
    assert told.check(INACTIVE)


def test_a_second_deactivation_is_refused_and_the_node_lives(ros: Any) -> None:
    (node,) = made(GuardNode, namespace='twice', autostart=True)
    with spun(node, namespace='twice') as caller:
        client = caller.create_client(ChangeState, 'guard_node/change_state')
        assert client.wait_for_service(WAIT_S)

        def deactivated() -> bool:
            return bool(finished(client.call_async(ChangeState.Request(
                transition=Transition(id=Transition.TRANSITION_DEACTIVATE)))).success)

        assert deactivated() and not deactivated()
        assert state(node) == INACTIVE


def test_work_waits_for_a_node_that_the_starter_took_out_and_not_for_one_of_a_person(
        ros: Any) -> None:
    (node,) = made(GuardNode, namespace='awaited', autostart=True)
    node.trigger_deactivate()  # a person
    node.await_start(WAIT_S, Context())
    assert node.inactive
    node.trigger_cleanup()  # the starter does this, too
    activation = threading.Timer(0.1, lambda: (node.trigger_configure(), node.trigger_activate()))
    activation.start()
    node.await_start(WAIT_S, Context())
    assert not node.inactive
    activation.join()
    destroy(node)


def test_a_node_tells_its_state_while_it_is_being_deactivated(ros: Any) -> None:
    (node,) = made(GuardNode, namespace='busy', autostart=True)
    told = threading.Event()
    node.end_work = lambda: told.wait(WAIT_S)
    with spun(node, namespace='busy') as caller:
        change = caller.create_client(ChangeState, 'guard_node/change_state')
        get = caller.create_client(GetState, 'guard_node/get_state')
        assert change.wait_for_service(WAIT_S) and get.wait_for_service(WAIT_S)
        ending = change.call_async(ChangeState.Request(
            transition=Transition(id=Transition.TRANSITION_DEACTIVATE)))
        until(lambda: node.inactive)
        finished(get.call_async(GetState.Request()))
        told.set()
        assert finished(ending).success
