# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""An arm without physics that one can talk with."""

from __future__ import annotations

from dataclasses import dataclass

from imagined_arm import ImaginedArm
from replan_agent_talk.conversation import Conversation, Reply
from replan_agent_talk.talk import build_conversation

from replan_agent.domain.context import Context


@dataclass
class TalkingArm(ImaginedArm):
    """Carries out what is said to it."""

    def __post_init__(self) -> None:
        self.talk: Conversation = build_conversation(
            'arm', lambda: self.observe(Context()), self.specs)

    def say(self, text: str) -> Reply:
        return self.talk.say(text, self.run)
