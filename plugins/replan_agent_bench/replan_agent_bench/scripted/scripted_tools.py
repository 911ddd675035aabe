# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the scripted model knows about the skills: only the tools in a request."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from replan_agent.domain.skill_effect import Effect, EffectKind

Call = tuple[str, dict[str, Any]]
EFFECT = re.compile(r'Effect: (?P<kind>\w+)\((?P<roles>[^)]*)\)')


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
    return Tools({f['name']: effect_in(f.get('description', '')) for f in functions})


def effect_in(description: str) -> Effect | None:
    """The effect that a text names after "Effect: ", as `Effect.sentence` writes it, or None."""
    match = EFFECT.search(description)
    if match is None:
        return None
    roles = dict(pair.split('=', 1) for pair in match['roles'].split(', ') if '=' in pair)
    try:
        return Effect(EffectKind(match['kind']), **roles)
    except (TypeError, ValueError):
        return None
