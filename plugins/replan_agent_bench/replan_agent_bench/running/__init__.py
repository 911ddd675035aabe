# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where the episodes run: processes of this machine, or a Ray cluster."""
