"""Builds an agent from settings: the one composition."""
