"""What needs a library that `make test` does not install: real tensors, and RecTools on top-k lists.

`make parity` runs it; what is not here is skipped, with the reason."""
import numpy as np
import pytest

from irmetrics_nb import Judged, parse
from irmetrics_nb.evaluation.presets import completed, conventions_of


def test_a_real_tensor_is_read():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed here")
    labels, scores = torch.tensor([0, 1, 2]), torch.tensor([0.5, 0.25, 1.0])
    judged = Judged.from_scores(labels, scores, sizes=torch.tensor([2, 1]))
    plain = Judged.from_scores([0, 1, 2], [0.5, 0.25, 1.0], sizes=[2, 1])
    for name in ("query", "rank", "grade", "retrieved", "pool_query", "pool_grade"):
        assert getattr(judged, name).tolist() == getattr(plain, name).tolist(), name
    with pytest.raises(ValueError, match="scores: numpy cannot read this Tensor.*detach"):
        Judged.from_scores(labels, scores.requires_grad_())


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
