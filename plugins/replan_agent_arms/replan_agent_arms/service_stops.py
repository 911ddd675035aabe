# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Stops and errors of an arm whose sidecar names services for them (`ros.stop`, `ros.recover`)."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from rclpy.node import Node

from replan_agent.arms.arm_model import ArmModel
from replan_agent.domain.config import ConfigError
from replan_agent.domain.context import Context
from replan_agent.domain.port_errors import NodeLost
from replan_agent.domain.skill import Reason
from replan_agent.ros.arm.arm_interfaces import ArmInterfaces
from replan_agent.ros.arm.self_stops import SelfStop, SelfStops
from replan_agent.ros.rclpy_tools.qos import LATCHED, NEWEST
from replan_agent.ros.rclpy_tools.service_port import ServicePort
from replan_agent.ros.rclpy_tools.timeouts import Timeouts

from .sidecar_ros import SafetyState, Service


class ServiceStops(SelfStops):
    """Calls the services of the driver.

    That the arm stopped itself is known from its motions, and from the topic `ros.safety`.
    """

    def __init__(self, node: Node, arm: ArmModel, _: ArmInterfaces, timeouts: Timeouts) -> None:
        self._recover, self._stop = (
            tuple(_Call(node, said, f'{arm.name}: ros.{key}: {said.service}', timeouts)
                  for said in services if isinstance(said, Service))
            for key, services in (('recover', arm.ros.recover), ('stop', arm.ros.stop)))
        self._told = False  # by the topic, not by a motion
        if isinstance(arm.ros.safety, SafetyState):
            self._listen(node, arm.name, arm.ros.safety)

    def _listen(self, node: Node, arm: str, said: SafetyState) -> None:
        kind = _message(said, f'{arm}: ros.safety')
        if kind is None:
            node.get_logger().warning(f'{arm}: ros.safety: the package of {said.type} is not '
                                      'installed; a stop is known only from a motion')
            return

        def keep(message: Any) -> None:
            stop = stop_in_state(said, arm, getattr(message, said.field))
            if stop or self._told:
                self.stop, self._told = stop, stop is not None

        node.create_subscription(kind, said.topic, keep, LATCHED if said.latched else NEWEST)

    def note(self, stop: SelfStop) -> None:
        if not self._told:  # the topic says more
            self.stop = stop if self._recover else None

    def recover(self, ctx: Context) -> str:
        """Call the services in their order; the first that fails ends it."""
        if self.stop and not self.stop.clearable:
            return f'{self.stop.sentence}: release it first'
        if not self._recover:
            return super().recover(ctx)
        problem = next(filter(None, (call.problem(ctx) for call in self._recover)), '')
        if not problem:
            self.stop = None  # until the arm stops again
        return problem

    def halt(self) -> str:
        asked = [call.said.service for call in self._stop if call.send()]
        return f'; {" and ".join(asked)} was called to stop it' if asked else ''


def stop_in_state(said: SafetyState, arm: str, number: int) -> SelfStop | None:
    """The stop that the number on the topic stands for, or None."""
    words, by_hand = said.stops.get(number), number in said.by_hand
    reason = Reason.STOPPED if by_hand else Reason.CONTROLLER_ABORTED
    return SelfStop(reason, f'the {arm} stopped itself: {words}', not by_hand) if words else None


def _message(said: SafetyState, where: str) -> Any:
    """The type of the topic, or None without its package. Raises ConfigError."""
    package, name = said.type.split('/')
    try:
        kind = getattr(import_module(f'{package}.msg'), name, None)
    except ImportError:
        return None
    if kind is None:
        raise ConfigError(f'{where}: {package} has no message type {name}')
    known = kind.get_fields_and_field_types()
    if said.field not in known:
        raise ConfigError(f'{where}: {said.type} has no field {said.field!r}; it has: '
                          f'{", ".join(known)}')
    return kind


class _Call:
    """A service with what is sent to it. Without its package nothing is called, and it is told."""

    def __init__(self, node: Node, said: Service, where: str, timeouts: Timeouts) -> None:
        self.said, self._where, self._port = said, where, None
        package, name = said.type.split('/')
        try:
            kind = getattr(import_module(f'{package}.srv'), name, None)
        except ImportError:
            node.get_logger().warning(f'{self._missing}; it cannot be called')
            return
        if kind is None:
            raise ConfigError(f'{where}: {package} has no service type {name}')
        self._request = kind.Request()
        for sent, fields in ((self._request, said.sent), (kind.Response(), said.expected)):
            for field, value in fields.items():
                _set(sent, field, value, f'{where}: {said.type}')
        self._port = ServicePort(node, kind, said.service, said.service, timeouts, once=True)

    @property
    def _missing(self) -> str:
        return f'{self._where}: the package of {self.said.type} is not installed'

    def problem(self, ctx: Context) -> str:
        """Call it; returns why it did not do what it should, or ''."""
        if self._port is None:
            return self._missing
        try:
            answer = self._port.call(self._request, ctx)
        except NodeLost as lost:
            return str(lost)
        wrong = [f'{field} is {getattr(answer, field)!r}' for field, value
                 in self.said.expected.items() if getattr(answer, field) != value]
        told = getattr(answer, 'message', '')
        return (f'{self.said.service} failed: {", ".join(wrong)}{": " if told else ""}{told}'
                if wrong else '')

    def send(self) -> bool:
        """Send the request and wait for nothing; False if nobody serves it."""
        return self._port is not None and self._port.ask(self._request) is not None


def _set(message: Any, field: str, value: object, where: str) -> None:
    known = message.get_fields_and_field_types()
    if field not in known:
        raise ConfigError(f'{where} has no field {field!r}; it has: {", ".join(known) or "none"}')
    kind = type(getattr(message, field))
    try:
        if type(value) is not kind and (kind, type(value)) != (float, int):
            raise TypeError
        setattr(message, field, kind(value))
    except (AssertionError, TypeError, ValueError) as error:
        raise ConfigError(f'{where}: {field} is a {known[field]}, not {value!r}') from error
