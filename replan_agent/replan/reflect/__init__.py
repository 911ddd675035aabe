"""Why a step failed, and what to change."""
