"""What the scripted model knows about the skills: only the tools in a request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from replan_agent.domain.skill_effect import Effect, EffectKind

Call = tuple[str, dict[str, Any]]


@dataclass(frozen=True)
class Tools:
    """The tools of a request by name, and the effects that their descriptions name."""

    effects: Mapping[str, Effect | None]

    def that(self, kind: EffectKind) -> str | None:
        """The first tool with this effect, or None."""
        return next((name for name, effect in self.effects.items()
                     if effect is not None and effect.kind is kind), None)


def read_tools(body: Mapping[str, Any]) -> Tools:
    """The tools that a request offers."""
    functions = [tool['function'] for tool in body.get('tools', ())]
    return Tools({f['name']: Effect.from_sentence(f.get('description', '')) for f in functions})
