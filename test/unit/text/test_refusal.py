# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A no is a no, however it is said."""

from __future__ import annotations

import pytest

from replan_agent.text.refusal import is_refusal


@pytest.mark.parametrize('answer', [
    'n', 'n!', 'NO', 'no stop', 'no thanks', 'No, slower', 'stop', 'stop!', 'nope', 'never',
    "don't", 'don’t do it', 'dont', 'do not run it', 'please stop', 'oh no', 'not step 3',
    'no step 2!', 'absolutely not', 'of course not', "I don't want that", 'cancel', 'wait',
    'thanks, but no', '...no'])
def test_a_no(answer):
    assert is_refusal(answer)


@pytest.mark.parametrize('answer', [
    '', 'y', 'yes', 'slower', 'without step 2', 'skip step 2, not step 3', 'notice the bowl',
    'north of the bowl', 'use the left side', "slower, and don't touch the bowl"])
def test_anything_else(answer):
    assert not is_refusal(answer)
