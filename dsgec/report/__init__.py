"""A run's folder, or a study's, to one HTML page that needs nothing else."""

from dsgec.report.page import prepare_page, report_page, write_page, write_report

__all__ = ["prepare_page", "report_page", "write_page", "write_report"]
