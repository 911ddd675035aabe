"""Conversations about tasks: orders, answers, corrections, questions."""

from .talk import Talk as Talk
