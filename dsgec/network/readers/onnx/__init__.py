"""The reader of ONNX files."""
