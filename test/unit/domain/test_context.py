# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""When a call should end: cancelled, or out of time."""

from __future__ import annotations

import pytest

from replan_agent.domain.context import Cancelled, CancelToken, Context, DeadlineExceeded


def test_a_call_that_may_go_on_is_not_over():
    assert Context().over is None and Context().within(60).over is None


@pytest.mark.parametrize('ctx, error', [(Context(deadline=0.0), DeadlineExceeded),
                                        (Context(CancelToken(), deadline=0.0), Cancelled)])
def test_what_ends_a_call_is_what_check_raises(ctx, error):
    if error is Cancelled:
        ctx.cancel.cancel('enough')
    assert isinstance(ctx.over, error)
    with pytest.raises(error, match=str(ctx.over)):
        ctx.check()
