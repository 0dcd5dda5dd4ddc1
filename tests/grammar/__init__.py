"""Tests of the stage that turns BNF text into a checked Grammar."""
