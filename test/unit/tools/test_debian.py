# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where the machine's own Debian mirror is, read from either format of apt's sources."""

from __future__ import annotations

from pathlib import Path

import pytest
from ros_runtime import debian
from ros_runtime.report import SetupError

ONE_LINE = """\
# deb http://old.example/debian bookworm main
deb-src http://mirror.example/debian bookworm main
deb [arch=arm64 signed-by=/usr/share/keyrings/k.gpg] http://mirror.example/debian bookworm main non
"""
DEB822 = """\
# a comment
Types: deb deb-src
URIs: http://security.example/debian-security
Suites: bookworm-security
Components: main

Types: deb
Enabled: no
URIs: http://disabled.example/debian
Suites: bookworm
Components: main

Types: deb
# http://snapshot.example/
URIs: http://mirror.example/debian
Suites: bookworm bookworm-updates
Components: main
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 -----END PGP PUBLIC KEY BLOCK-----
"""


def test_the_one_line_format_is_read() -> None:
    assert debian.parse_sources(ONE_LINE) == [debian.Source(
        'http://mirror.example/debian', ('bookworm',), ('main', 'non'),
        '/usr/share/keyrings/k.gpg')]


def test_the_newer_format_is_read_without_what_is_disabled() -> None:
    found = debian.parse_sources(DEB822)
    assert [source.uri for source in found] == [
        'http://security.example/debian-security', 'http://mirror.example/debian']
    assert found[1].suites == ('bookworm', 'bookworm-updates')
    assert found[1].signed_by == ''  # the key is in the file itself: the keyring is used


@pytest.mark.parametrize(('name', 'text'), [
    ('sources.list', ONE_LINE), ('sources.list.d/debian.sources', DEB822)])
def test_the_mirror_is_not_the_one_for_security(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / 'sources.list.d').mkdir()
    (tmp_path / name).write_text(text)
    assert debian.machine_source(tmp_path).uri == 'http://mirror.example/debian'


def test_a_machine_without_a_mirror_says_what_helps(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match='source ROS 2'):
        debian.machine_source(tmp_path)


def test_the_pinned_packages_name_suite_and_architecture() -> None:
    groups = {group.name: group for group in debian.pinned_groups()}
    assert set(groups) == {'python', 'emulator', 'emulator_libraries', 'compiler'}
    assert groups['emulator'].packages == ('box64',)
    assert 'python3.11-minimal' in groups['python'].packages
    assert groups['python'].architecture == 'amd64'
