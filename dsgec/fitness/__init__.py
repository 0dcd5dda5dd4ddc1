"""Outputs and targets to scores."""
