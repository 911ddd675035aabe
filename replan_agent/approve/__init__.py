"""APPROVE: who lets a plan move the arm."""
