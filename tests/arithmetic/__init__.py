"""Tests of the one arithmetic."""
