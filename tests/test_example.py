"The collection that comes with the package."


from irmetrics_nb import judge, load_example


def test_the_example_collection_holds_together():
    example = load_example()
    assert example.documents.columns == ["doc_id", "title", "text"]
    assert example.topics.columns[:2] == ["query_id", "query"]
    assert len(example.runs) >= 4 and all(len(run) == example.topics.height for run in example.runs.values())
    documents = set(example.documents["doc_id"])
    assert documents.issuperset(example.qrels.rows.doc.tolist())
    for run in example.runs.values():
        assert documents.issuperset(run.rows.doc.tolist())
        retrieved = judge(example.qrels, run).retrieved
        assert 1 <= retrieved.min() and retrieved.max() <= 100
