# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Conversations about tasks: orders, answers, corrections, questions."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .talk import Talk as Talk


def __getattr__(name: str) -> Any:
    if name != 'Talk':
        raise AttributeError(name)
    from .talk import Talk  # when it is first used: `replan-agent --help` does not wait for it
    return Talk
