"""Sentences to goals: the one room that knows English."""
