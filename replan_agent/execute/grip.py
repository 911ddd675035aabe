"""What the hand holds, by the encoders and the last grasp. A stale picture does not know."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from replan_agent.domain.pads import have_let_go
from replan_agent.domain.robot_state import RobotState
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import Reason, SkillResult, SkillSpec
from replan_agent.domain.skill_effect import EffectKind


class Grip:
    """The last grasp. It is kept from one call of a skill to the next."""

    def __init__(self) -> None:
        self._held: str | None = None
        self._width_m = 0.0  # between the pads after the grasp
        self._since = float('-inf')  # robot time (s) at which the hand last changed

    def note(self, spec: SkillSpec, args: Mapping[str, Any], result: SkillResult,
             state: RobotState) -> None:
        """Remember what a skill did to the hand, when its motion or its check has ended."""
        effect = spec.effect
        if effect.takes and result.success:
            self._change(effect.name('object', args), state)
        elif effect.takes and result.reason is Reason.GRASP_SLIPPED:
            self._change(None, state)
        elif (effect.puts or effect.kind is EffectKind.RELEASE) and result.success:
            self._change(None, state)

    def seen_in(self, scene: Scene, state: RobotState) -> Scene:
        """The scene with what the hand really holds.

        A fresh picture is right, unless it does not show the object that the pads still feel.
        """
        if self._held is not None and have_let_go(self._width_m, state.gripper_width):
            self._change(None, state)
        is_old = scene.stale or scene.stamp < self._since
        if is_old and self._since > float('-inf'):
            return replace(scene, held=self._held)
        if self._held is not None and scene.held is None and scene.get(self._held) is None:
            return replace(scene, held=self._held)
        return scene

    def _change(self, held: str | None, state: RobotState) -> None:
        self._held, self._width_m, self._since = held, state.gripper_width, state.stamp
