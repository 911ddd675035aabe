"""Interface definitions to C, C++ and Python sources, with the rosidl generators of the wheels.

    python3 -S -m ros_runtime.generate PACKAGE_FOLDER OUTPUT PREFIX...

Runs in its own process, with the runtime's packages on PYTHONPATH. The generators are plain
Python, so the host's interpreter runs them at full speed, whatever machine they generate for.
Below OUTPUT: prefix/share (definitions, with type hashes), and a folder of sources for each
generator. rclpy with Fast DDS needs five of the generators.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import pickle
import shutil
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from .package import InterfacePackage, read_package, share_folder, used_packages

C = 'rosidl_generator_c'
PYTHON = 'rosidl_generator_py'
TYPESUPPORT = 'rosidl_typesupport_c'
FASTRTPS = 'rosidl_typesupport_fastrtps_c'
INTROSPECTION = 'rosidl_typesupport_introspection_c'
GENERATORS = (C, PYTHON, FASTRTPS, INTROSPECTION, TYPESUPPORT)


def generate(folder: Path, output: Path, prefixes: Sequence[Path]) -> None:
    """Write all sources of the package in `folder`."""
    package = read_package(folder)
    share = output / 'prefix' / 'share' / package.name
    write_definitions(package, share)
    remember_parsed_definitions()
    request = _request(package, share, [output / 'prefix', *prefixes])
    from rosidl_generator_type_description import generate_type_hash
    generate_type_hash(_arguments(output, 'type_description', request, output_dir=share))
    jobs = []
    for name in GENERATORS:
        resource = share_folder(name, prefixes) / 'resource'
        jobs.append((name, _arguments(output, name, request, template_dir=resource,
                                      output_dir=output / name / package.name)))
        _write_visibility_header(package.name, name, resource, output)
    fork = multiprocessing.get_context('fork')  # children inherit what is parsed already
    with ProcessPoolExecutor(os.cpu_count(), mp_context=fork) as pool:
        list(pool.map(_run_generator, *zip(*jobs)))


def write_definitions(package: InterfacePackage, share: Path) -> None:
    """Copy the definitions to where others look for them, with an .idl beside each."""
    from rosidl_adapter import convert_to_idl
    for interface in package.interfaces:
        definition = package.definition(interface)
        convert_to_idl(package.folder, package.name, definition.relative_to(package.folder),
                       share)
        shutil.copy(definition, (share / interface).parent)
    shutil.copy(package.folder / 'package.xml', share)


def remember_parsed_definitions() -> None:
    """Parse each definition once: every generator parses all of them again, slowly."""
    from rosidl_parser import parser
    parse: Callable[..., Any] = parser.parse_idl_string
    known: dict[str, bytes] = {}

    def parse_once(text: str, png_file: str | None = None) -> Any:
        if text not in known:
            known[text] = pickle.dumps(parse(text, png_file=png_file))
        return pickle.loads(known[text])  # a copy: generators change what they get

    parser.parse_idl_string = parse_once


def _request(package: InterfacePackage, share: Path, prefixes: list[Path]) -> dict[str, Any]:
    """The description of the package, and of those it uses, for the generators."""
    own = [share / f'{interface}.idl' for interface in package.interfaces]
    used = {name: share_folder(name, prefixes)
            for name in used_packages(package.name, own, prefixes)}
    return {
        'package_name': package.name,
        'idl_tuples': [f'{share}:{interface}.idl' for interface in package.interfaces],
        'ros_interface_files': [str(file) for file in own],
        'ros_interface_dependencies': [f'{name}:{file}' for name, folder in used.items()
                                       for file in sorted(folder.glob('*/*.idl'))],
        'include_paths': [f'{name}:{folder}' for name, folder in used.items()],
        'type_description_tuples': [f'{interface}.idl:{share}/{interface}.json'
                                    for interface in package.interfaces],
        'target_dependencies': [],
    }


def _arguments(output: Path, name: str, request: dict[str, Any], **folders: Path) -> str:
    """Write a generator's arguments file and return its path."""
    file = output / f'{name}.json'
    arguments = {**request, **{key: str(folder) for key, folder in folders.items()}}
    file.write_text(json.dumps(arguments), 'utf-8')
    return str(file)


def _run_generator(name: str, arguments: str) -> None:
    if name == C:
        from rosidl_generator_c import generate_c
        generate_c(arguments)
    elif name == PYTHON:
        from rosidl_generator_py.generate_py_impl import generate_py
        generate_py(arguments, [TYPESUPPORT])
    elif name == FASTRTPS:
        from rosidl_typesupport_fastrtps_c import generate_typesupport_fastrtps_c
        generate_typesupport_fastrtps_c(arguments)
    elif name == INTROSPECTION:
        from rosidl_typesupport_introspection_c import generate_c
        generate_c(arguments)
    elif name == TYPESUPPORT:
        from rosidl_typesupport_c import generate_c
        generate_c(arguments, [FASTRTPS, INTROSPECTION])


def _write_visibility_header(package: str, generator: str, resource: Path, output: Path) -> None:
    """Fill in the header that CMake would configure, if the generator has one."""
    template = resource / f'{generator}__visibility_control.h.in'
    if not template.is_file():
        return
    text = template.read_text('utf-8').replace('@PROJECT_NAME@', package)
    header = output / C / package / 'msg' / template.stem
    header.parent.mkdir(parents=True, exist_ok=True)
    header.write_text(text.replace('@PROJECT_NAME_UPPER@', package.upper()), 'utf-8')


if __name__ == '__main__':
    source, target, *underlay = map(Path, sys.argv[1:])
    generate(source, target, underlay)
