"""Readers of models that were trained elsewhere: scikit-learn's estimators and ONNX files."""
