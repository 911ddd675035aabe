"""The conversation about tasks: orders, answers, corrections, questions."""
