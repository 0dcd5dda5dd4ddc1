"""Streams: code that takes one sample after the other, and the features and classes of windows."""
