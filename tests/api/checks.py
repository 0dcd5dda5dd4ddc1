"""Every check that scikit-learn has for an estimator."""


def check_all(estimator):
    """All pass; what scikit-learn leaves out itself is named."""
    from sklearn.utils.estimator_checks import check_estimator

    results = check_estimator(estimator, on_skip=None, on_fail="raise")
    left_out = {result["check_name"] for result in results if result["status"] != "passed"}

    assert len(results) > 45
    assert left_out <= {"check_array_api_input"}  # unless SCIPY_ARRAY_API is set
