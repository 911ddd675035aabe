# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Arms as values: each is one `ArmModel`. Nobody outside knows which one it has."""
