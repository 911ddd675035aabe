"""Sentences as people write them, and the goals that each must give. No simulator.

`sentences.txt` was used to write the grammar. `held_out.txt` was kept apart until it was measured
(docs/language.md).
"""

from __future__ import annotations

import pytest
from expectation import Case, answer, cases, mismatch

from replan_agent.domain.plan import ReplyKind

ALL = [*cases('sentences.txt'), *cases('held_out.txt')]


def title(case: Case) -> str:
    return f'{case.scene}: {case.sentence}'


@pytest.mark.parametrize('case', ALL, ids=title)
def test_a_sentence_gives_its_goals(case: Case) -> None:
    assert mismatch(case) == ''


@pytest.mark.parametrize('case', [c for c in ALL if c.is_refused], ids=title)
def test_what_is_outside_never_becomes_a_goal_or_a_step(case: Case) -> None:
    reply = answer(case)
    assert reply.kind in (ReplyKind.UNRECOGNIZED, ReplyKind.FAILED)
    assert not reply.steps and not reply.goals
    assert reply.detail


def test_there_are_enough_of_them() -> None:
    assert len({c.scene for c in ALL}) == 8
    assert len([c for c in ALL if not c.is_refused]) >= 150
    assert len([c for c in ALL if c.is_refused]) >= 40
