"""A ROS interface package as its sources describe it, and the packages it uses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

KINDS = ('msg', 'srv', 'action')
# Added by the generators to every service and action, whatever its file includes.
IMPLIED = {'srv': {'service_msgs'},
           'action': {'service_msgs', 'action_msgs', 'unique_identifier_msgs',
                      'builtin_interfaces'}}  # fmt: skip


@dataclass(frozen=True)
class InterfacePackage:
    """Name, version and the definitions ('msg/Scene') of the package in a folder."""

    name: str
    version: str
    folder: Path
    interfaces: tuple[str, ...]

    def definition(self, interface: str) -> Path:
        return self.folder / f'{interface}.{interface.split("/")[0]}'

    def files(self) -> list[Path]:
        """All files that the generated code depends on."""
        return [self.folder / 'package.xml', *map(self.definition, self.interfaces)]


def read_package(folder: Path) -> InterfacePackage:
    """The package whose package.xml lies in `folder`."""
    manifest = ElementTree.parse(folder / 'package.xml').getroot()
    interfaces = [f'{kind}/{file.stem}' for kind in KINDS
                  for file in sorted((folder / kind).glob(f'*.{kind}'))]
    return InterfacePackage(str(manifest.findtext('name')).strip(),
                            str(manifest.findtext('version')).strip(), folder,
                            tuple(interfaces))


def share_folder(package: str, prefixes: Sequence[Path]) -> Path:
    """Where an installed interface package has its definitions."""
    for prefix in prefixes:
        if (prefix / 'share' / package).is_dir():
            return prefix / 'share' / package
    raise LookupError(f'the interface package {package} is in none of: '
                      + ', '.join(map(str, prefixes)))


def used_packages(name: str, definitions: Iterable[Path], prefixes: Sequence[Path]) -> list[str]:
    """Every package that these .idl files use, directly or not, nearest first."""
    found: list[str] = []
    waiting = sorted(_included(definitions) - {name})
    while waiting:
        package = waiting.pop(0)
        if package not in found:
            found.append(package)
            theirs = share_folder(package, prefixes).glob('*/*.idl')
            waiting += sorted(_included(theirs) - {package})
    return found


def _included(definitions: Iterable[Path]) -> set[str]:
    found: set[str] = set()
    for file in definitions:
        text = file.read_text('iso-8859-1')
        found.update(re.findall(r'#include "(\w+)/', text))
        found.update(IMPLIED.get(file.parent.name, ()))
    return found
