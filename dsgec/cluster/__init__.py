"""Calls on the workers of a dask.distributed cluster."""
