"""These tests may use our packages in plugins/."""

import plugin_paths  # noqa: F401
