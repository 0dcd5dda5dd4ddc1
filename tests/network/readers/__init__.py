"""Tests of the stage that reads others' models."""
