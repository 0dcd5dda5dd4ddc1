"""Decision trees that are grown greedily and pruned along a front."""
