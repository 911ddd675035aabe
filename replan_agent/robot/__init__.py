# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The arm and the camera: protocols, and the worlds that implement them."""
