# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the agent's client of skill_node does about a stop."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from rig import WAIT_S, spun, until
from stand_ins import SEEN, StandInSkills
from std_srvs.srv import Trigger

from replan_agent.agent.broken_part import watchdog
from replan_agent.domain.context import Cancelled, CancelToken, Context
from replan_agent.domain.plan import Step
from replan_agent.domain.port_errors import NodeLost
from replan_agent.domain.skill import Reason, SkillResult, failed, succeeded
from replan_agent.ros.agent.clients import RosSkills
from replan_agent.ros.arm.standstill import NoStandstill
from replan_agent.ros.rclpy_tools.timeouts import Timeouts

PLACE = {'namespace': 'clients'}
PATIENT = Timeouts(appear_timeout=60.0, answer_timeout=60.0, silence_timeout=600.0,
                   stop_timeout=300.0)


class Arm:
    """Counts how often it is stopped; with a problem it is not seen at rest."""

    stops, problem = 0, ''

    def stop(self) -> None:
        self.stops += 1
        if self.problem:
            raise NoStandstill(self.problem)


def test_a_skill_that_ignores_its_cancel_is_stopped_past_skill_node_and_then_latched(
        ros: Any) -> None:
    arm, token, latched, said = Arm(), CancelToken(), threading.Event(), []

    def ignores(call: Any) -> SkillResult:
        token.cancel('a person')
        assert latched.wait(WAIT_S)
        return succeeded()

    def on_stop(_: Any, response: Trigger.Response) -> Trigger.Response:
        latched.set()
        response.success = True
        return response

    node = StandInSkills(ignores, **PLACE)
    node.create_service(Trigger, 'stop', on_stop)
    caller = ros.create_node('agent', **PLACE)
    skills = RosSkills(caller, PATIENT, arm)  # type: ignore[arg-type]
    ctx = Context(token)
    with spun(node, caller, **PLACE):
        with watchdog('a skill', ctx, skills.stop, said.append, grace_s=0.1) as watch:
            skills.execute(Step(1, 'home'), SEEN, ctx, lambda phase: None)
    assert watch.has_stopped and arm.stops >= 2 and len(said) == 1, said


@pytest.mark.parametrize('restarts', [False, True])
def test_a_node_that_started_again_is_not_latched(ros: Any, restarts: bool) -> None:
    """It knows nothing of the lost task, and nobody has to release it."""
    token, latched = CancelToken(), []

    def saw_no_standstill(call: Any) -> SkillResult:
        token.cancel('a person')
        until(lambda: call.cancel.cancelled)
        node.permit += restarts
        return failed(Reason.CONTROLLER_ABORTED, 'standstill NOT confirmed')

    def on_stop(_: Any, response: Trigger.Response) -> Trigger.Response:
        latched.append(True)
        response.success = True
        return response

    node = StandInSkills(saw_no_standstill, **PLACE)
    node.permit = 7
    node.create_service(Trigger, 'stop', on_stop)
    caller = ros.create_node('agent', **PLACE)
    skills = RosSkills(caller, PATIENT, Arm())  # type: ignore[arg-type]
    with spun(node, caller, **PLACE):
        with pytest.raises(Cancelled):
            skills.execute(Step(1, 'home'), SEEN, Context(token), lambda phase: None)
        skills.stop()
    assert bool(latched) is not restarts


def test_a_skill_that_ends_at_its_cancel_is_not_stopped_again(ros: Any) -> None:
    arm, token = Arm(), CancelToken()

    def obeys(call: Any) -> SkillResult:
        token.cancel('a person')
        until(lambda: call.cancel.cancelled)
        return failed(Reason.STOPPED, 'cancelled')

    node = StandInSkills(obeys, **PLACE)
    caller = ros.create_node('agent', **PLACE)
    skills = RosSkills(caller, PATIENT, arm)  # type: ignore[arg-type]
    with spun(node, caller, **PLACE):
        with pytest.raises(Cancelled):
            skills.execute(Step(1, 'home'), SEEN, Context(token), lambda phase: None)
        skills.stop()
    assert arm.stops == 0


def test_an_arm_that_skill_node_did_not_see_at_rest_is_stopped_and_doubted(ros: Any) -> None:
    token = CancelToken()

    def saw_no_standstill(call: Any) -> SkillResult:
        token.cancel('a person')
        until(lambda: call.cancel.cancelled)
        return failed(Reason.CONTROLLER_ABORTED, 'standstill NOT confirmed')

    node = StandInSkills(saw_no_standstill, **PLACE)
    caller = ros.create_node('agent', **PLACE)
    arm = Arm()
    skills = RosSkills(caller, Timeouts(appear_timeout=1.0), arm)  # type: ignore[arg-type]
    with spun(node, caller, **PLACE):
        with pytest.raises(Cancelled):
            skills.execute(Step(1, 'home'), SEEN, Context(token), lambda phase: None)
        arm.problem = 'no joint states'
        with pytest.raises(NodeLost, match='no joint states'):
            skills.stop()
        arm.problem = ''
        skills.stop()  # now it is seen
        skills.stop()  # nothing is left to do
    assert arm.stops == 2
