"""A language model runs a robot arm, and says why when it fails.

PERCEIVE → PLAN → APPROVE → EXECUTE → (VERIFY) → next step, or DIAGNOSE → REPLAN
"""

__version__ = '0.1.0'
