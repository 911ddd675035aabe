"""What the scripted model knows about the skills: only the tools in a request."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from replan_agent.domain.skill_effect import Effect, EffectKind

Call = tuple[str, dict[str, Any]]

_EFFECT = re.compile(r'Effect: (?P<kind>\w+)\((?P<roles>[^)]*)\)')


class Hopeless(Exception):
    """The rules find no way. The message is the reason to give up."""


@dataclass(frozen=True)
class Tools:
    """The tools of a request by name, and the effects that their descriptions name."""

    effects: Mapping[str, Effect | None]

    def __contains__(self, name: str) -> bool:
        return name in self.effects

    def that(self, kind: EffectKind) -> str | None:
        """The first tool with this effect, or None."""
        return next((name for name, effect in self.effects.items()
                     if effect is not None and effect.kind is kind), None)

    def call(self, kind: EffectKind, **roles: Any) -> Call:
        """A call of the first tool with this effect. Raises Hopeless if there is none."""
        name = self.that(kind)
        effect = self.effects[name] if name else None
        if name is None or effect is None:
            raise Hopeless(f'no tool has the effect {kind.value}; there are: '
                           f'{", ".join(self.effects) or "none"}')
        return name, effect.arguments(**roles)


def read_tools(body: Mapping[str, Any]) -> Tools:
    """The tools that a request offers."""
    functions = [tool['function'] for tool in body.get('tools', ())]
    return Tools({f['name']: _effect(f.get('description', '')) for f in functions})


def _effect(description: str) -> Effect | None:
    match = _EFFECT.search(description)
    if match is None or match['kind'] not in {kind.value for kind in EffectKind}:
        return None
    roles = dict(pair.split('=', 1) for pair in match['roles'].split(', ') if '=' in pair)
    try:
        return Effect(EffectKind(match['kind']), **roles)
    except (TypeError, ValueError):
        return None
