# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The words every layer shares: frozen dataclasses and enums that import nothing of ours."""
