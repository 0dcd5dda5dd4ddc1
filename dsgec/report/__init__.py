"""A run's folder, a study's, or a network alone to one HTML page that needs nothing else."""

from dsgec.report.model import model_page
from dsgec.report.page import prepare_page, report_page, write_page, write_report

__all__ = ["model_page", "prepare_page", "report_page", "write_page", "write_report"]
