"""Fixtures: a client, and the stand-in server that it talks to over real HTTP."""

from model_fixtures import make_client, make_server  # noqa: F401
