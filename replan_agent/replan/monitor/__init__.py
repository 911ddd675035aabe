"""Watches a plan for fundamental problems."""
