# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""`replan-agent chat` says what was not recorded."""

from __future__ import annotations

import io
import sys
from dataclasses import replace

import pytest
from hand_scenes import BOWL, scene
from imagined_arm import ImaginedArm
from replan_agent_talk.chat_arguments import add_commands
from replan_agent_talk.conversation import Reply
from replan_agent_talk.talk import Talk

from replan_agent.app.cli.main import main


def test_what_was_not_recorded_is_said_and_is_the_exit_status(
        monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    lost = replace(ImaginedArm(scene(BOWL)).run('go home'), not_recorded='disk full')
    monkeypatch.setattr(Talk, 'say', lambda *_, **__: Reply('It is done.', lost))
    monkeypatch.setattr(sys, 'stdin', io.StringIO('go home\n'))
    assert main(['chat'], [add_commands]) == 3
    assert 'NOT recorded as a whole: disk full' in capsys.readouterr().err
