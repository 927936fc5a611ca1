"""What needs a library that `make test` does not install: tensors, RecTools on top-k lists, a metric in CatBoost.

`make parity` runs it; what is not here is skipped, with the reason."""
import json
import linecache
import re
from pathlib import Path

import numpy as np
import pytest

from irmetrics_nb import Accumulator, Judged, parse
from irmetrics_nb.evaluation.conventions import completed, conventions_of


def test_a_real_tensor_is_read():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed here")
    labels, scores = torch.tensor([0, 1, 2]), torch.tensor([0.5, 0.25, 1.0])
    judged = Judged.from_scores(labels, scores, sizes=torch.tensor([2, 1]))
    plain = Judged.from_scores([0, 1, 2], [0.5, 0.25, 1.0], sizes=[2, 1])
    for name in ("query", "rank", "grade", "retrieved", "pool_query", "pool_grade"):
        assert getattr(judged, name).tolist() == getattr(plain, name).tolist(), name
    for other in (scores.clone().requires_grad_(), scores.bfloat16()):
        assert Judged.from_scores(labels, other, sizes=[2, 1]).grade.tolist() == plain.grade.tolist()


@pytest.mark.parametrize("k", [1, 3, 10])
@pytest.mark.parametrize("seed", range(20))
def test_rectools_numbers_of_top_k_lists_are_those_of_from_topk(seed, k):
    metrics = pytest.importorskip("rectools.metrics", reason="RecTools is not installed here", exc_type=ImportError)
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(seed)
    items = np.array([rng.permutation(30)[:12] for _ in range(7)])
    liked = [rng.permutation(30)[: rng.integers(1, 9)] for _ in items]
    user = np.repeat(np.arange(len(items)), items.shape[1])
    reco = pandas.DataFrame({"user_id": user, "item_id": items.ravel(), "rank": np.tile(np.arange(12) + 1, len(items))})
    size = [len(some) for some in liked]
    likes = {"user_id": np.repeat(np.arange(len(items)), size), "item_id": np.concatenate(liked)}
    interactions = pandas.DataFrame(likes)
    names = {"Precision": "P", "Recall": "R", "MAP": "AP", "NDCG": "nDCG", "HitRate": "Success"}
    asked = {name: getattr(metrics, name)(k=k) for name in names}
    theirs = metrics.calc_metrics(asked, reco=reco, interactions=interactions)
    judged = Judged.from_topk(items, liked)
    for name, ours in names.items():
        value = completed(parse(f"{ours}@{k}"), conventions_of("rectools")).of(judged).mean()
        assert value == pytest.approx(theirs[name], abs=1e-12), name


PAGE = Path(__file__).parent.parent / "nbs" / "guide" / "training_loop.ipynb"


def metric_of_the_page():
    "The class that the page on training loops shows for CatBoost, as it stands there."
    cells = json.loads(PAGE.read_text(encoding="utf-8"))["cells"]
    text = "\n".join("".join(cell["source"]) for cell in cells)
    [shown] = re.findall(r"^(class NDCG5:.*?)\n\nmetric = ", text, re.DOTALL | re.MULTILINE)
    # With numba installed, CatBoost asks `inspect` for the source of the class, as a notebook has it.
    linecache.cache[PAGE.name] = len(shown), None, shown.splitlines(keepends=True), PAGE.name
    names = {"np": np, "Accumulator": Accumulator}
    exec(compile(shown, PAGE.name, "exec"), names)
    return names["NDCG5"]


def a_set(seed):
    "Features that are often alike, labels, and groups of one item and more."
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 15, 30)
    features = rng.random((sizes.sum(), 5)).round(1)
    return features, np.clip((4 * features[:, 0] + rng.normal(0, 1, sizes.sum())).round(), 0, 4), sizes


@pytest.mark.filterwarnings("ignore:Failed to import numba")  # which is faster, and not needed
@pytest.mark.parametrize("seed", [3, 5])
def test_the_metric_for_catboost_gives_what_catboost_s_own_gives_on_both_sets_in_every_round(seed):
    catboost = pytest.importorskip("catboost", reason="CatBoost is not installed here")
    sets = a_set(seed), a_set(seed + 1)
    learning, held_out = (catboost.Pool(x, y, group_id=np.repeat(np.arange(len(n)), n)) for x, y, n in sets)
    metric = metric_of_the_page()(*((y, n) for _, y, n in sets))
    theirs = "NDCG:top=5;type=Base"
    how = {"loss_function": "YetiRank", "iterations": 8, "verbose": False, "allow_writing_files": False}
    model = catboost.CatBoostRanker(eval_metric=metric, custom_metric=[theirs + ";hints=skip_train~false"], **how)
    model.fit(learning, eval_set=held_out)
    for each in model.evals_result_.values():
        assert each["NDCG5"] == pytest.approx(each[theirs], abs=1e-9)
        assert len(set(each["NDCG5"])) > 2
