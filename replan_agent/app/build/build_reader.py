# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Builds the reader of words, the one place that chooses the language."""

from __future__ import annotations

from replan_agent.agent.ports import Reader
from replan_agent.domain.refusals import NotUnderstood, Open
from replan_agent.domain.scene import Scene
from replan_agent.english.reader import EnglishReader


def build_reader(viewpoint: str = 'arm') -> Reader:
    """Reads words in English. `viewpoint` says whose left is meant."""
    return EnglishReader(viewpoint)


def mentioned(task: str) -> tuple[str, ...] | None:
    """What the task names, for a model that points; None if the grammar does not understand it."""
    try:
        return build_reader().mentions(task)
    except (NotUnderstood, Open):
        return None


def corrects(words: str) -> bool:
    """Whether the words are a no that says what is meant instead: "no, the blue one"."""
    return any(remark.denies for remark in build_reader().remarks(words, Scene('', 0.0, (), '')))
