"""The words every layer shares: frozen dataclasses and enums that import nothing of ours."""
