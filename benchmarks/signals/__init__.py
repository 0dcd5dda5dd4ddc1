"""Accuracy on windows of sensors: dsgec beside other learners, on sets inside packages."""
