# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The constants of the interfaces are the domain's words, all of them and no others."""

from __future__ import annotations

from enum import Enum
from typing import Any

import pytest
from replan_agent_interfaces import msg
from replan_agent_interfaces.action import ExecuteSkill, ExecuteTask, MakePlan
from replan_agent_interfaces.srv import ApprovePlan, GiveHint, Observe

from replan_agent.domain.cause import Cause
from replan_agent.domain.event import Event
from replan_agent.domain.skill import REPLAN_STEP, Reason
from replan_agent.domain.task_result import FinalReason
from replan_agent.ros.agent.task_runner import APPROVALS
from replan_agent.ros.messages.error_codes import PLAN_CODES, SKILL_CODES, TASK_CODES
from replan_agent.ros.messages.message_table import NUMBERED
from replan_agent.ros.node_settings import choices


def constants(message: Any, prefix: str = '') -> dict[str, Any]:
    """The constants of a message whose names start with `prefix`, without it."""
    named = {name: getattr(message, name) for name in dir(type(message)) if name.isupper()}
    return {name[len(prefix):]: value for name, value in named.items() if name.startswith(prefix)}


@pytest.mark.parametrize('enum', NUMBERED)
def test_an_enumeration_is_mirrored_by_numbers(enum: type[Enum]) -> None:
    message, prefix = NUMBERED[enum]
    found = constants(message, f'{prefix}_')
    assert set(found) == {member.name for member in enum}
    assert sorted(found.values()) == list(range(1, len(found) + 1)), '0 says none'


@pytest.mark.parametrize(('enum', 'message', 'prefix'), [
    (Cause, msg.Diagnosis, 'CAUSE_'),
    (Reason, msg.SkillResult, 'REASON_'),
    (FinalReason, ExecuteTask.Result, 'FINAL_'),
])
def test_an_enumeration_is_mirrored_by_words(enum: type[Enum], message: Any, prefix: str) -> None:
    assert constants(message, prefix) == {member.name: member.value for member in enum}


def test_every_event_has_its_kind() -> None:
    kinds = {event.__new__(event).kind for event in Event.__subclasses__()}
    assert constants(msg.Event, 'KIND_') == {kind.upper(): kind for kind in kinds}


def test_the_step_that_is_no_skill_has_the_same_name() -> None:
    assert msg.Step.SKILL_REPLAN == REPLAN_STEP


def test_every_approver_that_can_be_configured_can_be_asked_for() -> None:
    allowed = set(constants(ExecuteTask.Goal, 'APPROVAL_').values())
    assert {*choices('approver'), ''} == allowed == {*APPROVALS, ''}


def codes(message: Any) -> dict[str, int]:
    return {n: v for n, v in constants(message).items() if isinstance(v, int) and '_IS_' not in n
            and not n.startswith(('VERIFIED_', 'HELD_', 'KIND_'))}


@pytest.mark.parametrize(('message', 'first'), [
    (ExecuteSkill.Result, 10000), (ExecuteTask.Result, 10100), (MakePlan.Result, 10200),
    (Observe.Response, 10300), (ApprovePlan.Response, 10400), (GiveHint.Response, 10500),
])
def test_codes_fill_a_range_that_starts_with_unknown(message: Any, first: int) -> None:
    found = codes(message)
    assert (found.pop('NONE'), found['UNKNOWN']) == (0, first)
    assert sorted(found.values()) == list(range(first, first + len(found)))


@pytest.mark.parametrize(('table', 'message', 'more'), [
    (SKILL_CODES, ExecuteSkill.Result, {'UNKNOWN', 'CANCELLED'}),
    (TASK_CODES, ExecuteTask.Result, {'UNKNOWN', 'REFUSED'}),
    (PLAN_CODES, MakePlan.Result, {'UNKNOWN', 'TIMEOUT', 'CANCELLED', 'BUDGET_EXHAUSTED'}),
])
def test_every_reason_has_its_code(
    table: dict[Enum, int], message: Any, more: set[str]
) -> None:
    failures = {reason.name: code for reason, code in table.items() if code}
    found = codes(message)
    assert {name: found[name] for name in failures} == failures
    assert set(found) == {'NONE', *failures, *more}


def test_only_a_success_has_no_code() -> None:
    assert [r.value for r, code in TASK_CODES.items() if not code] == [
        'plan_complete', 'already_done']
    assert [k.value for k, code in PLAN_CODES.items() if not code] == ['steps', 'done']
