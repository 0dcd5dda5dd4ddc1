"""The names of the files in a run's folder: the only module that spells them."""

RECORD = "run.json"
HISTORY = "history.csv"
NETWORK = "best.net"
HALL = "hall_of_fame.csv"
EVIDENCE = "report.json"
PAGE = "report.html"
TIMING = "timing.json"
CHECKPOINT = "checkpoint"
MANIFEST = "SHA256SUMS"

SCORES = "cv.json"
"""In the folder of a cross-validation, beside the folders of its folds."""
