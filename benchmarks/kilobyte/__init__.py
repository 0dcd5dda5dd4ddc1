"""Test accuracy of small classifiers by the bytes of flash that they take."""
