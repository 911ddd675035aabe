# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What episodes are made of: scenes, judges of the true state, mishaps, a contact watch."""
