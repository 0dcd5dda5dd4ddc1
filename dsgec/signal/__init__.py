"""Signals: samples that arrive one after the other, and the features of their windows."""
