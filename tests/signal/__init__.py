"""Tests of signals: samples, windows and their features."""
