"""The tests of our packages import them from the checkout."""

import plugin_paths  # noqa: F401
