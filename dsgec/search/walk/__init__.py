"""The walk: a dense network with one shared hidden layer is learned, and pruned to a front."""
