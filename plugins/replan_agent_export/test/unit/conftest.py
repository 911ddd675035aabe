# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Fixtures: a client, and the stand-in server that it talks to over real HTTP."""

from model_fixtures import make_client, make_server  # noqa: F401
