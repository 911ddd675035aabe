# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What failed earlier, and what helped."""
