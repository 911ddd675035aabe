# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whether a skill's check of its result looks at the scene, the arm, or what was measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

from replan_agent.agent.ports import Perception
from replan_agent.domain.robot_state import RobotState

from .contract import Call
from .wrapped_robot import WrappedRobot


@dataclass
class Watch:
    """A call for `verify`, and whether anything was looked at through it."""

    call: Call
    looked: bool = False
    watched: Call = field(init=False)

    def __post_init__(self) -> None:
        kit = replace(self.call.kit, robot=_Robot(self.call.kit.robot, self),
                      perception=cast(Perception, _Perception(self.call.kit.perception, self)))
        self.watched = replace(self.call, kit=kit, measured=_Measured(self.call.measured, self))


@dataclass(frozen=True)
class _Robot(WrappedRobot):
    watch: Watch

    def state(self) -> RobotState:
        self.watch.looked = True
        return self.robot.state()


class _Perception:
    """Any use of the perception is a look."""

    def __init__(self, perception: Perception, watch: Watch) -> None:
        self._perception, self._watch = perception, watch

    def __getattr__(self, name: str) -> Any:
        self._watch.looked = True
        return getattr(self._perception, name)


class _Measured(Mapping[str, Any]):
    """What `run` measured."""

    def __init__(self, measured: Mapping[str, Any], watch: Watch) -> None:
        self._measured, self._watch = measured, watch

    def __getitem__(self, key: str) -> Any:
        self._watch.looked = True
        return self._measured[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._measured)

    def __len__(self) -> int:
        return len(self._measured)
