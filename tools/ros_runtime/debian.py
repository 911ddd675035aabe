"""Debian packages from the machine's own mirror, unpacked into a folder: no root, no traces.

apt runs with its own state. It checks the signature of each index, and each package against the
hash in its index.
"""

from __future__ import annotations

import configparser
import re
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from .layout import PINS
from .report import SetupError, check_call

APT_ETC = Path('/etc/apt')
KEYRINGS = Path('/usr/share/keyrings')
ONE_LINE = re.compile(r'deb\s+(?:\[(?P<options>[^]]*)\]\s+)?'
                      r'(?P<uri>\S+)\s+(?P<suite>\S+)\s+(?P<rest>.+)')


@dataclass(frozen=True)
class Group:
    """Packages of one suite and architecture, which belong together."""

    name: str
    suite: str
    architecture: str
    packages: tuple[str, ...]


@dataclass(frozen=True)
class Source:
    """One entry of the machine's list of package sources."""

    uri: str
    suites: tuple[str, ...]
    components: tuple[str, ...]
    signed_by: str


def pinned_groups() -> list[Group]:
    """The groups in pins/debian.ini."""
    parser = configparser.ConfigParser()
    parser.read_string((PINS / 'debian.ini').read_text('utf-8'))
    return [Group(name, section['suite'], section['architecture'],
                  tuple(section['packages'].split()))
            for name, section in parser.items() if name != 'DEFAULT']


def parse_sources(text: str) -> list[Source]:
    """The enabled binary sources in a file of either format that apt reads."""
    if re.search(r'^Types:', text, re.MULTILINE | re.IGNORECASE):
        return [s for block in re.split(r'\n\s*\n', text) for s in _parse_block(block)]
    found = []
    for line in text.splitlines():
        if match := ONE_LINE.match(line.split('#')[0].strip()):
            signed = re.search(r'signed-by=(\S+)', match['options'] or '')
            found.append(Source(match['uri'], (match['suite'],), tuple(match['rest'].split()),
                                signed[1] if signed else ''))
    return found


def _parse_block(block: str) -> list[Source]:
    """The sources in one paragraph of the newer format (deb822)."""
    lines = [line for line in block.splitlines() if not line.startswith('#')]
    fields = {key.lower(): ' '.join(value.split())
              for key, value in re.findall(r'^(\S+):((?:.*)(?:\n[ \t].*)*)', '\n'.join(lines),
                                           re.MULTILINE)}
    if 'deb' not in fields.get('types', '').split() or fields.get('enabled', 'yes') == 'no':
        return []
    signed = fields.get('signed-by', '')
    return [Source(uri, tuple(fields.get('suites', '').split()),
                   tuple(fields.get('components', '').split()),
                   signed if signed.startswith('/') else '')
            for uri in fields.get('uris', '').split()]


def machine_source(etc: Path = APT_ETC) -> Source:
    """The machine's source for Debian's main archive (not the one for security updates)."""
    files = [etc / 'sources.list', *sorted((etc / 'sources.list.d').glob('*'))]
    for file in files:
        if file.suffix not in ('.list', '.sources') or not file.is_file():
            continue
        for source in parse_sources(file.read_text('utf-8', errors='replace')):
            if 'main' in source.components and 'security' not in ' '.join(source.suites):
                return source
    raise SetupError(f'{etc} names no Debian mirror. On aarch64 the emulator and the compiler '
                     'come from Debian: use a Debian system, or install and source ROS 2.')


class Apt:
    """A private apt: its lists and cache are below `root`. It does not touch the machine's."""

    def __init__(self, root: Path) -> None:
        for tool in ('apt-get', 'dpkg-deb'):
            if not shutil.which(tool):
                raise SetupError(f'{tool} is needed to fetch and unpack Debian packages')
        self.root = root
        self._config = root / 'apt.conf'

    def update(self, groups: Iterable[Group]) -> None:
        """Fetch the package lists of all these groups."""
        for folder in ('state/lists/partial', 'cache/archives/partial', 'etc/preferences.d',
                       'etc/sources.list.d', 'etc/apt.conf.d', 'etc/trusted.gpg.d'):
            (self.root / folder).mkdir(parents=True, exist_ok=True)
        (self.root / 'status').touch()
        self._config.write_text(self._settings(), 'utf-8')
        source = machine_source()
        keys = _keyring(source)
        wanted = sorted({(group.suite, group.architecture) for group in groups})
        (self.root / 'etc' / 'sources.list').write_text(''.join(
            f'deb [signed-by={keys} arch={architecture}] {source.uri} {suite} main\n'
            for suite, architecture in wanted), 'utf-8')
        self._get('fetching the Debian package lists', 'update', '-qq',
                  '-o', 'APT::Update::Error-Mode=any')

    def unpack(self, group: Group, target: Path) -> None:
        """Fetch the packages of a group and unpack them below `target`."""
        folder = self.root / 'debs' / group.name
        folder.mkdir(parents=True, exist_ok=True)
        names = [f'{name}:{group.architecture}/{group.suite}' for name in group.packages]
        self._get(f'fetching {group.name} from Debian', 'download', '-qq', *names, cwd=folder)
        for package in sorted(folder.glob('*.deb')):
            check_call(['dpkg-deb', '--extract', package, target], f'unpacking {package.name}')
        shutil.rmtree(folder)

    def _get(self, doing: str, *arguments: str, cwd: Path | None = None) -> None:
        check_call(['env', f'APT_CONFIG={self._config}', 'apt-get', *arguments], doing, cwd)

    def _settings(self) -> str:
        """Private folders, plus the machine's own network settings for its mirror."""
        network = [line for line in check_call(['apt-config', 'dump'], 'reading apt settings')
                   .splitlines() if line.startswith('Acquire::') and 'IndexTargets' not in line]
        here = {'State': 'state', 'State::status': 'status', 'Cache': 'cache', 'Etc': 'etc',
                'Etc::parts': 'etc/apt.conf.d'}
        return '\n'.join([
            *network,
            *(f'Dir::{key} "{self.root / folder}";' for key, folder in here.items()),
            'Dir::Etc::main "none";',
            f'Dir::Etc::netrc "{APT_ETC}/auth.conf";',
            f'Dir::Etc::netrcparts "{APT_ETC}/auth.conf.d";',
            'APT::Architecture "arm64"; APT::Architectures { "arm64"; "amd64"; };',
            'APT::Sandbox::User ""; Acquire::Languages "none"; Acquire::Retries "3";',
            'Debug::NoLocking "1";', ''])


def _keyring(source: Source) -> str:
    """The keys that the machine trusts for its mirror."""
    candidates = [source.signed_by, *(str(KEYRINGS / f'debian-archive-keyring.{suffix}')
                                      for suffix in ('gpg', 'pgp'))]
    for candidate in candidates:
        if candidate and Path(candidate).is_file():
            return candidate
    raise SetupError('no keys of the Debian archive: install debian-archive-keyring')
