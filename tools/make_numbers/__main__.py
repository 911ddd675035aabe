"""Measures what README and docs quote, into docs/numbers/*.json, and makes their tables of it.

    make numbers                               small: minutes; the smallest part of each suite
    make numbers ARGS=medium                   half an hour; ARGS=full: hours, what the tables say
    make numbers ARGS='full --only troubles motion --jobs 16'
    make numbers ARGS=tables                   only the tables of README and docs, from the files
    make numbers ARGS=list                     what was measured when, and how old it is

How long it takes is said before it begins. After Ctrl-C the same command goes on: the episodes are
in build/numbers until the code changes. A file has its commit, so the code must be committed. The
full size replaces docs/numbers/NAME.json, the others are NAME_small.json and NAME_medium.json; a
table shows the largest, and what came later below it. What is measured and how a table looks is in
tools/make_numbers/numbers.yaml. A table is put where a page says:

    <!-- numbers: troubles --><!-- end -->

and a number in a sentence (tools/make_numbers/tables.py says more):

    <!-- numbers: {troubles[all].whole.of} --><!-- end -->
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from replan_agent.app.terminal.exits import INTERRUPTED

from .files import SIZES, NumbersError, age, chosen, code_commit, entries, read_all
from .running import announced, measure, orders
from .tables import page_text, pages


def options() -> argparse.ArgumentParser:
    """The command line."""
    whole = argparse.ArgumentParser(
        prog='make numbers ARGS=...', description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    whole.add_argument('what', nargs='?', default='small', choices=(*SIZES, 'tables', 'list'),
                       help='default: small')
    whole.add_argument('--only', nargs='+', default=[], metavar='NAME',
                       help='only these of numbers.yaml')
    whole.add_argument('--jobs', type=int, default=os.cpu_count() or 1, metavar='N',
                       help='processes (default: all cores)')
    whole.add_argument('--ray', metavar='ADDRESS',
                       help='run on a Ray cluster, as bench does')
    return whole


def main(words: Sequence[str] | None = None) -> int:
    """Exit status: 0, 1 if something is wrong, 130 after Ctrl-C."""
    given = options().parse_args(words)
    try:
        if given.what == 'list':
            tell()
        elif given.what == 'tables':
            make_tables()
        else:
            return run(given)
    except NumbersError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print('interrupted: the same command goes on where it stopped', file=sys.stderr)
        return INTERRUPTED
    return 0


def run(given: argparse.Namespace) -> int:
    """Measure one after the other; the tables are made after each. 1 if one failed."""
    known, commit, failed = entries(), code_commit(), []
    todo = orders(known, chosen(given.only, known), given.what, given.jobs, given.ray)
    print('\n'.join(announced(todo)) or f'nothing of this has the size {given.what}', flush=True)
    for order in todo:
        if order.missing:
            continue
        print(f'\n=== {order.name}', flush=True)
        try:
            print(f'written to docs/numbers/{measure(order, commit).name}', flush=True)
        except NumbersError as error:
            failed.append(str(error))
        make_tables()
    for reason in failed:
        print(reason, file=sys.stderr)
    return 1 if failed else 0


def make_tables() -> None:
    """Write the pages whose tables are not those of the files."""
    known, files = entries(), read_all()
    for page, text in [(page, page_text(page, known, files)) for page in pages()]:
        if text != page.read_text('utf-8'):
            page.write_text(text, 'utf-8')
            print(f'tables of {page.name} are new')


def tell() -> None:
    """What there is, how many episodes were counted, and how old it is."""
    for stem, values in read_all().items():
        counted = [line['n'] for line in values['lines']
                   if line['row'] != 'all' and line['k'] is not None]
        print(f'{stem:20} n {sum(counted) or "?":>5}  {values["date"] or "no date":10}  '
              f'{age(values)}')


if __name__ == '__main__':
    sys.exit(main())
