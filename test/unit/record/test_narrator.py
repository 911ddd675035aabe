# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""One narrator: the same words at the console and later in `show`."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from replan_agent.app.terminal.console import ConsoleRecorder
from replan_agent.domain import event as events
from replan_agent.record.narrator import PLAIN, Narrator


def test_it_tells_only_of_events_that_exist() -> None:
    kinds = {kind.__new__(kind).kind for kind in events.Event.__subclasses__()}
    told_of = {name[4:] for name in dir(Narrator) if name.startswith('_on_')}
    assert told_of | set(PLAIN) <= kinds


def test_a_live_event_without_words_is_a_warning_and_a_stored_one_is_left_out(
        monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events.WarningRaised, 'as_dict', lambda self: {})
    out = io.StringIO()
    ConsoleRecorder(Console(file=out, width=200)).record(events.WarningRaised('it is dark'))
    assert out.getvalue() == "WARNING: warning_raised cannot be told: KeyError: 'message'\n"
    assert list(Narrator().said({'event': 'warning_raised'})) == []


def test_what_is_no_text_is_told_as_text() -> None:
    (said,) = Narrator().said({'event': 'warning_raised', 'message': 5})
    assert said.line == 'WARNING: 5'


@pytest.mark.parametrize('reverted', [True, False])
def test_an_action_is_told_as_undone_only_if_it_was(reverted: bool) -> None:
    node = {'number': '1.1', 'option': {'name': 'push'}, 'goal_score_before': 4.0,
            'goal_score_after': 4.0, 'decision': 'REVERT', 'reverted': reverted}
    (said,) = Narrator().said({'event': 'local_action_judged', 'node': node})
    assert said.line.endswith('no gain, undone' if reverted else 'no gain')
