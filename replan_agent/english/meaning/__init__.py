# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Commands to goals in a scene: which objects, where, and what each verb means."""
