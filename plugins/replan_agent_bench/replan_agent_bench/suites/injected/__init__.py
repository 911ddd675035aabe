"""Rows of the recovery benchmark in which faults are injected."""
