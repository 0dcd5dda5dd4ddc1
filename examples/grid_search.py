"""How large must a network be? A grid search over the grammar's depth limits, on wine.

python examples/grid_search.py [GENERATIONS [POPULATION]]

`neurons` limits those of an output (depth n: n + 1 of them), `sum` the connections of a
neuron (depth n: 2^n). Needs `pip install 'dsgec[sklearn]'`.
"""

import sys

from sklearn.datasets import load_wine
from sklearn.model_selection import GridSearchCV, train_test_split

from dsgec import DSGEClassifier

given = [int(number) for number in sys.argv[1:]]
generations, population = given + [200, 30][len(given) :]

X, y = load_wine(return_X_y=True, as_frame=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)

search = GridSearchCV(
    DSGEClassifier(generations=generations, population=population, random_state=1),
    {"max_depth": [{"neurons": neurons, "sum": sums} for neurons in (0, 2) for sums in (1, 3)]},
    cv=3,
)
search.fit(X_train, y_train)

results = search.cv_results_
for limits, mean, deviation in zip(
    results["param_max_depth"], results["mean_test_score"], results["std_test_score"], strict=True
):
    print(f"{limits}: accuracy {mean:.3f} ± {deviation:.3f}")

best = search.best_estimator_
print(f"best: {best.max_depth}, test accuracy {best.score(X_test, y_test):.3f}")
print(f"{best.run_.network.size}")
print(best.run_.network.formula)
