# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The plug-in can be tested where it is not installed."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import pytest  # noqa: E402


@pytest.fixture
def furnished_things():
    """The things of a furnished scene, by its name."""
    from replan_agent_contact.furnished_world import FurnishedWorld
    from replan_agent_contact.furniture import load_furnished

    from replan_agent.arms.known_arms import arm_named

    return lambda name: FurnishedWorld(*load_furnished(name), arm_named('panda')).true_objects()
