"""What a person wants changed, as far as the agent understands it without a planner."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from replan_agent.domain.plan import Step

Steps = tuple[Step, ...]

_DROP = re.compile(r'\b(?:without|skip|drop|remove|omit|leave out)\s+(?:the\s+)?steps?\s+'
                   r'(\d{1,6}(?:(?:\s*,\s*|\s+and\s+|\s*,\s*and\s+)\d{1,6})*)')
_SLOWER = re.compile(r'\b(?:more slowly|slower|slowly|slow)\b')
_CLEARLY_SLOWER = re.compile(r'\b(?:slower|slowly)\b')
_NOT_SLOWER = re.compile(r"(?:\b(?:too|not|no|never|less)|n['’]t)"
                         r'(?:\s+\w+){0,2}\s+slow(?:er|ly)\b')
_FILLER = re.compile(r'\b(?:and|but|please|do|it|run|go|then|just)\b|[\s,.;!]+')


def is_only_slower(wish: str) -> bool:
    """Whether a lower speed is all that is wanted."""
    text = wish.lower()
    return _SLOWER.search(text) is not None and not _FILLER.sub('', _SLOWER.sub(' ', text))


def wants_slower(wish: str) -> bool:
    """Whether a lower speed is wanted, alone or with something else."""
    text = _DROP.sub(' ', wish.lower())
    clearly = _CLEARLY_SLOWER.search(text) is not None and not _NOT_SLOWER.search(text)
    return clearly or is_only_slower(text)


def edited_steps(steps: Steps, wish: str, capped: Callable[[Steps], Steps]) -> Steps | None:
    """The steps as wished: without some of them, or slower. None if the wish is another one.

    `capped` lowers the speed of steps to what is allowed after the wish.
    """
    text = wish.lower()
    dropped = {int(n) for found in _DROP.findall(text) for n in re.findall(r'\d+', found)}
    rest = _DROP.sub(' ', text)
    if _FILLER.sub('', _SLOWER.sub(' ', rest)) or not dropped <= {s.step_number for s in steps}:
        return None
    kept = capped(tuple(step for step in steps if step.step_number not in dropped))
    if not kept or kept == steps:
        return None
    return tuple(replace(step, step_number=n) for n, step in enumerate(kept, 1))
