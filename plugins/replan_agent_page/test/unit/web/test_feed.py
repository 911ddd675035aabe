# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What everybody who watches is told."""

from __future__ import annotations

import json

from replan_agent_page.web.feed import MOST_EVENTS, Feed


def test_the_end_of_a_very_long_task_is_told() -> None:
    feed = Feed()
    feed.begin('run')
    for _ in range(MOST_EVENTS + 5):
        feed.add('warning_raised', 0.0, {})
    feed.add('task_finished', 0.0, {'success': True})
    assert len(feed.lines) == MOST_EVENTS + 1
    assert json.loads(feed.lines[-1])['event'] == 'task_finished'
