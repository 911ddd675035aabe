"""Builds the reader of words: the one place that chooses the language."""

from __future__ import annotations

from replan_agent.agent.ports import Reader
from replan_agent.english.reader import EnglishReader


def build_reader(viewpoint: str = 'arm') -> Reader:
    """Reads words in English. `viewpoint` says whose left is meant."""
    return EnglishReader(viewpoint)
