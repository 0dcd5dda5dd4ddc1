"""Fixed point: networks as integer programs, with a proved bound of their error."""
