"""What the rules of the grammar for remarks mean: answers, corrections, what is asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from replan_agent.domain.remark import Remark, RemarkKind


@dataclass(frozen=True)
class SaidPart:
    """A part of a remark, in its words."""

    kind: str
    text: str = ''


def _remark(kind: RemarkKind, denies: bool = False) -> Callable[..., Remark]:
    def made(*parts: Any) -> Remark:
        said = {part.kind: part.text for part in parts if isinstance(part, SaidPart)}
        number = next((part for part in parts if isinstance(part, int)), 0)
        return Remark(kind, said.get('thing', ''), said.get('place', ''), said.get('order', ''),
                      number, denies)

    return made


def _number(said: str) -> int | None:
    return (int(said) or -1) if said.isdigit() else None


REMARK_RULES: Mapping[str, Callable[..., Any]] = {
    'number': _number,
    'things_said': lambda *_: SaidPart('thing'), 'places_said': lambda *_: SaidPart('place'),
    'order_said': lambda *_: SaidPart('order'),
    'change': _remark(RemarkKind.CHANGE),
    'correction': _remark(RemarkKind.CHANGE, denies=True),
    **{kind.value: _remark(kind) for kind in (RemarkKind.YES, RemarkKind.NO, RemarkKind.UNDO)},
    **{f'ask_{kind.value}': _remark(kind) for kind in (
        RemarkKind.WHAT, RemarkKind.SEEN, RemarkKind.HELD, RemarkKind.WHERE, RemarkKind.COUNT,
        RemarkKind.IS, RemarkKind.WHY, RemarkKind.DONE, RemarkKind.ABLE)},
}
