# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The fixtures of planners: scenes and skills, built by hand."""

from model_fixtures import make_client, make_server  # noqa: F401
from planner_fixtures import make_object, make_scene, skills  # noqa: F401
