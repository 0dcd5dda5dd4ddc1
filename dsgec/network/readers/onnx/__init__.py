"""An ONNX file to a Model."""
