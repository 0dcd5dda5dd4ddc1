"""Calls to results, made by processes of this machine or by the workers of a dask cluster."""
