"""Remembers calls that were proved impossible, so that the arm does not try them again."""

from __future__ import annotations

from replan_agent.domain.plan import Step
from replan_agent.domain.same_places import same_places
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import SkillResult

MOVED_M = 0.005
TURNED_RAD = 0.05


class RepeatGuard:
    """Blocks an identical call that was proved impossible while the scene is unchanged."""

    def __init__(self, enabled: bool) -> None:
        self._enabled = enabled
        self._proved: list[tuple[Step, Scene, SkillResult]] = []

    def note(self, step: Step, scene: Scene, result: SkillResult) -> None:
        """Remember a failure that is a proof."""
        if result.proved_impossible:
            self._proved.append((step, scene, result))

    def earlier_proof(self, step: Step, scene: Scene) -> SkillResult | None:
        """The result that proved this call impossible in this scene, or None."""
        if not self._enabled:
            return None
        for known, known_scene, result in self._proved:
            same_call = known.skill == step.skill and dict(known.args) == dict(step.args)
            if same_call and same_places(known_scene, scene, MOVED_M, TURNED_RAD):
                return result
        return None
