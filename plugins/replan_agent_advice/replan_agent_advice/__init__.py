"""Advice of a model: why a step failed, and whether a plan leads anywhere."""
