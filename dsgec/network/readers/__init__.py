"""Models that were trained elsewhere to a Model: scikit-learn's estimators and ONNX files."""
