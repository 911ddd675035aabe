# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What we use of rclpy that is not public is there, takes the same, and rclpy still calls it.

Each needs a reason, which is where it is used. A release of rclpy that changes one fails here.
"""

from __future__ import annotations

import ast
import inspect
from pathlib import Path
from typing import Any

import pytest
from rclpy.action import ActionClient, ActionServer
from rclpy.lifecycle import LifecycleNode
from rclpy.task import Future

from replan_agent.ros.rclpy_tools import action_client

TOOLS = Path(action_client.__file__).parent
# Methods: what they take. rclpy calls them itself, so that ours run.
METHODS: dict[tuple[Any, str], str] = {
    (ActionClient, '_cancel_goal_async'): 'self goal_handle',
    (ActionClient, '_get_result_async'): 'self goal_handle',
    (ActionClient, '_remove_pending_request'): 'self future pending_requests',
    (ActionServer, '_execute_goal'): 'self execute_callback goal_handle',
    (ActionServer, '_execute_get_result_request'): 'self request_header_and_message',
    (ActionServer, '_send_result_response'): 'self request_header future',
    (Future, '_set_executor'): 'self executor',
    # Not private by their names, but without a promise.
    (ActionClient, 'add_future'): 'self future', (ActionServer, 'add_future'): 'self future',
    (ActionClient, 'remove_future'): 'self future', (ActionServer, 'remove_future'): 'self future',
    (ActionServer, 'notify_execute'): 'self goal_handle execute_callback',
}
# Fields: rclpy sets them and uses them.
FIELDS: dict[tuple[Any, str], str] = {
    (ActionClient, '_client_handle'): 'take_feedback', (ActionClient, '_action_type'): 'Impl',
    (ActionServer, '_handle'): 'send_result_response', (ActionServer, '_action_type'): 'Impl',
    (ActionServer, '_execute_callback'): '', (ActionServer, '_logger'): 'error',
    (ActionServer, '_node'): 'get_clock', (LifecycleNode, '_service_change_state'): '',
}


def source(kind: Any) -> str:
    """All that may call a method of the class."""
    return inspect.getsource(inspect.getmodule(kind))


@pytest.mark.parametrize(('kind', 'name'), METHODS)
def test_a_method_takes_the_same_and_is_called_by_rclpy(kind: Any, name: str) -> None:
    assert list(inspect.signature(getattr(kind, name)).parameters) == METHODS[kind, name].split()
    if kind is not Future:  # an executor calls that one
        assert f'.{name}(' in source(kind) or f'self.{name})' in source(kind) or (
            f'(self.{name}, ' in source(kind))


@pytest.mark.parametrize(('kind', 'name'), FIELDS)
def test_a_field_is_set_and_used_by_rclpy(kind: Any, name: str) -> None:
    used = f'self.{name}' + (f'.{FIELDS[kind, name]}' if FIELDS[kind, name] else '')
    assert f'self.{name} = ' in source(kind) and used in source(kind)


def test_a_future_without_an_executor_calls_back_at_once() -> None:
    told: list[Any] = []
    future = Future()
    future._set_executor = lambda executor: None
    future._set_executor(object())  # as an executor does that adds the future
    future.add_done_callback(told.append)
    future.set_result(1)
    assert told == [future]


def used_from_outside(path: Path) -> set[str]:
    """Private names that a file uses and that none of its classes sets or defines."""
    tree = ast.parse(path.read_text('utf-8'))
    mine = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    parts = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)
             and node.attr.startswith('_') and not node.attr.startswith('__')]
    mine |= {node.attr for node in parts if isinstance(node.ctx, ast.Store)
             and isinstance(node.value, ast.Name) and node.value.id == 'self'}
    of_super = {node.attr for node in parts if isinstance(node.value, ast.Call)}
    return {node.attr for node in parts if isinstance(node.ctx, ast.Load)} - mine | of_super | {
        node.attr for node in parts if isinstance(node.ctx, ast.Store)} - mine


@pytest.mark.parametrize('path', sorted(TOOLS.glob('*.py')), ids=lambda path: path.name)
def test_no_other_private_name_of_rclpy_is_used(path: Path) -> None:
    known = {name for _, name in (*METHODS, *FIELDS)}
    assert used_from_outside(path) <= known | {'_exit'}  # os._exit
