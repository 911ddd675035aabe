# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The calls of terminal_commands.py, which need ROS."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import Any

import rclpy
from rclpy.exceptions import InvalidNamespaceException
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from replan_agent_interfaces.msg import Question
from replan_agent_interfaces.srv import ApprovePlan, GiveHint
from std_srvs.srv import Trigger

from replan_agent.app.terminal.exits import INTERRUPTED, SUCCESS, TASK_FAILED, WRONG_USE
from replan_agent.app.terminal.signals import cancelled_by_signal
from replan_agent.approve.console_approver import CHOICES, EDITS, YES
from replan_agent.approve.terminal import NoAnswer, Terminal
from replan_agent.domain.context import Cancelled, Context
from replan_agent.domain.plan import Plan
from replan_agent.domain.port_errors import NodeLost
from replan_agent.ros.messages.message_fields import time_from_msg
from replan_agent.ros.messages.message_table import from_msg
from replan_agent.ros.rclpy_tools.node_process import Spinning
from replan_agent.ros.rclpy_tools.qos import LATCHED
from replan_agent.ros.rclpy_tools.service_port import NodeGone, ServicePort
from replan_agent.ros.rclpy_tools.timeouts import Timeouts
from replan_agent.ros.rclpy_tools.waiting import holds_in_time
from replan_agent.text.refusal import is_refusal
from replan_agent.text.shown_text import printable

SOON_S = 0.5  # for discovery, before a person is told what is waited for
ANSWER_S = 60.0  # longer than a recovery, or a stop that waits for standstill
DOMAIN = 'is it running, with the same ROS_DOMAIN_ID and --namespace?'
QUESTION = 'agent_node/question'
Work = Callable[[Node, Context], int]


class WrongAnswer(Exception):
    """It is neither yes nor no, nor does it say what to change."""


def call(arguments: argparse.Namespace) -> int:
    """Call a service that needs no more than its name; returns the exit status."""
    def ask(node: Node, ctx: Context) -> int:
        said = _asked(node, Trigger, arguments.service, 'skill_node', Trigger.Request(),
                      arguments.wait, ctx)
        print(printable(said.message))
        return SUCCESS if said.success else TASK_FAILED

    return _run(arguments, ask)


def answer(arguments: argparse.Namespace) -> int:
    """Show what the agent waits for and send the person's answer; returns the exit status."""
    return _run(arguments, lambda node, ctx: _answer(node, ctx, arguments))


def _run(arguments: argparse.Namespace, work: Work) -> int:
    rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
    try:
        node = rclpy.create_node('replan_agent_terminal', namespace=arguments.namespace)
        with Spinning([node]), cancelled_by_signal() as token:
            return work(node, Context(token))
    except Cancelled:
        return INTERRUPTED
    except NodeGone as gone:
        print(f'replan-agent: {gone}; {DOMAIN}', file=sys.stderr)
    except (InvalidNamespaceException, NodeLost, NoAnswer, WrongAnswer) as error:
        print(f'replan-agent: {error}', file=sys.stderr)
    finally:
        rclpy.try_shutdown()
    return WRONG_USE


def _asked(node: Node, kind: Any, name: str, server: str, request: Any, wait_s: float,
           ctx: Context) -> Any:
    _await(node, server, name, node.create_client(kind, name).service_is_ready, wait_s, ctx)
    return ServicePort(node, kind, name, server, Timeouts(appear_timeout=wait_s),
                       once=True).call(request, ctx, ANSWER_S)


def _await(node: Node, server: str, name: str, is_there: Callable[[], bool], wait_s: float,
           ctx: Context) -> None:
    """Wait for a node, and say so if it is not there soon. Raises NodeGone."""
    if holds_in_time(is_there, min(SOON_S, wait_s), ctx):
        return
    print(f'waits for {node.get_namespace().rstrip("/")}/{server} ({name}), up to {wait_s:g} s',
          file=sys.stderr, flush=True)
    if not holds_in_time(is_there, wait_s - SOON_S, ctx):
        raise NodeGone(f'{server} is not there; waited {wait_s:g} s ({name})')


def _answer(node: Node, ctx: Context, given: argparse.Namespace) -> int:
    asked: list[Question] = []
    node.create_subscription(Question, QUESTION, asked.append, LATCHED)
    _await(node, 'agent_node', QUESTION, lambda: bool(asked), given.wait, ctx)
    question = asked[-1]
    if question.kind == Question.KIND_NONE:
        print('nothing waits for a person', file=sys.stderr)
        return TASK_FAILED
    is_plan = question.kind == Question.KIND_APPROVAL
    for line in shown(question):
        print(printable(line))
    said = given.said if given.said is not None else Terminal().ask(
        f'Run it? {CHOICES} ' if is_plan else 'What should it know, or do? ',
        time_from_msg(question.timeout), ctx)
    kind, name, request = ((ApprovePlan, 'approve_plan', decision(question, said)) if is_plan else
                           (GiveHint, 'give_hint', GiveHint.Request(
                               task_id=question.task_id, hint=said)))
    answered = _asked(node, kind, name, 'agent_node', request, given.wait, ctx)
    print(answered.error_msg or 'the agent has the answer')
    return TASK_FAILED if answered.error_code else SUCCESS


def shown(question: Question) -> list[str]:
    """The question in lines: for a plan its steps, and what speaks against it."""
    steps = [f'  {step.step_number}. {step.told}' for plan in question.plan
             for step in from_msg(Plan, plan).steps]
    return [f'task: {question.task}', question.question, *steps,
            *(f'  but: {reason}' for reason in question.reasons)]


def decision(question: Question, said: str) -> ApprovePlan.Request:
    """The answer to a plan: yes, no, or what to change. Raises WrongAnswer."""
    words, (plan,) = said.strip(), question.plan
    approved, denied = words.lower() in YES, is_refusal(words)
    if not approved and not denied and words.lower() not in EDITS and len(words.split()) < 2:
        raise WrongAnswer(f'{words!r} is neither yes nor no: say one of {CHOICES}')
    return ApprovePlan.Request(
        task_id=question.task_id, plan_version=plan.version, request=plan.request,
        approved=approved, approver='terminal', detail='' if approved else words,
        edit='' if approved or denied else words)
