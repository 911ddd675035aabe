"""EXECUTE: skills that check, run and verify."""
