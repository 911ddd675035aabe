# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Both arms, and random poses that they can reach."""

from arm_poses import arm, joints_at_limits, random_joints

__all__ = ['arm', 'joints_at_limits', 'random_joints']
