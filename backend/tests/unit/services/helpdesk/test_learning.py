"""Learning categories from labelled texts."""

import numpy as np
import pytest

from backend.app.services.helpdesk.learning import (
    Model,
    calibration_error,
    fit,
    macro_f1,
)

_TOPICS = {
    "printing": ["printer", "paper", "toner", "tray", "scan"],
    "mail": ["inbox", "outlook", "spam", "attachment", "folder"],
    "network": ["vpn", "wifi", "proxy", "router", "cable"],
}


def _examples() -> tuple[list[str], list[str]]:
    texts, labels = [], []
    for label, words in _TOPICS.items():
        for k in range(12):
            texts.append(f"my {words[k % 5]} and {words[(k + 1) % 5]} do not work {k}")
            labels.append(label)
    return texts, labels


def test_it_learns_what_words_stand_for() -> None:
    model, report = fit(*_examples(), None, None)

    assert report.accuracy == 1.0
    assert (report.examples, report.labels) == (36, 3)
    assert model.confidences("the toner and the tray", None)[0][0] == "printing"
    assert model.confidences("wifi", None)[0][0] == "network"


def test_confidences_are_a_distribution_best_first() -> None:
    model, _ = fit(*_examples(), None, None)
    told = model.confidences("spam in my inbox", None)

    assert {label for label, _ in told} == set(_TOPICS)
    assert sum(share for _, share in told) == pytest.approx(1)
    assert told == sorted(told, key=lambda one: -one[1])


def test_unknown_words_leave_it_unsure() -> None:
    model, _ = fit(*_examples(), None, None)

    for text in ("", "zzz qqq", "日本語", "\ud800"):
        assert model.confidences(text, None)[0][1] < 0.5


def test_vectors_decide_where_words_do_not() -> None:
    texts, labels = _examples()
    directions = np.eye(3, 384)
    vectors = [list(directions[list(_TOPICS).index(label)]) for label in labels]
    model, _ = fit(["same words"] * len(texts), labels, vectors, "a model")

    assert model.confidences("other", list(directions[1]))[0][0] == "mail"


def test_a_fit_is_the_same_each_time_and_survives_storage() -> None:
    first, _ = fit(*_examples(), None, None)
    second, _ = fit(*_examples(), None, None)
    read = Model.from_bytes(first.to_bytes())

    assert first.to_bytes() == second.to_bytes()
    assert read.labels == first.labels
    told, again = first.confidences("toner", None), read.confidences("toner", None)
    assert [share for _, share in again] == pytest.approx([share for _, share in told], abs=0.01)


def test_calibration_error_is_the_distance_of_confidence_from_truth() -> None:
    right = np.array([1, 1, 1, 0])

    assert calibration_error(np.full(4, 0.75), right) == pytest.approx(0)
    assert calibration_error(np.full(4, 0.95), right) == pytest.approx(0.2)


def test_macro_f1_counts_every_label_alike() -> None:
    truth, said = np.array([0, 0, 0, 1]), np.array([0, 0, 0, 0])

    assert macro_f1(truth, said, 2) == pytest.approx((6 / 7 + 0) / 2)
