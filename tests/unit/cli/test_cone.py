"""`conewise cone`: what it says, and one line for what is no cone."""

from __future__ import annotations

import json

import pytest
from shared.commandline import refused, run

MATHEMATICS = ("Facets", "Rays", "alpha", "ordering complexity", "witness", "R^2")


def test_it_says_what_a_cone_means_and_nothing_else(capsys):
    code, out, _ = run(capsys, "cone", "planar:135", "--objectives", "speed,price", "--minimise", "price")
    assert code == 0
    assert "A rise of 1 in price is accepted for a rise of at least 2.415 in speed." in out
    assert not [word for word in MATHEMATICS if word in out]


def test_the_mathematics_comes_if_asked_for(capsys):
    words = run(capsys, "cone", "planar:45")[1]
    code, out, _ = run(capsys, "cone", "planar:45", "--details")
    assert code == 0
    assert out.startswith(words)
    assert not [word for word in MATHEMATICS if word not in out]
    assert "beta = 1.4142136" in out


def test_json_has_everything_without_asking(capsys):
    found = json.loads(run(capsys, "cone", "planar:45", "--json")[1])
    assert {"facets", "dual", "alpha", "widest_pair", "words"} <= set(found)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("planer:135", "no cone is called 'planer'; write one of orthant, planar"),
        ("planar", "planar"),
        ("planar:wide", "'wide' is not a number; planar is written planar:135"),
        ("planar:180", "180"),
        ("planar:-45", "-45"),
        ("planar:nan", "'nan' is not a number"),
        ("importance:0.5,2", "0.5"),
        ("orthant:0", "0"),
        ("[[1,0],[-1,0]]", "row"),
        ("[[1,0],[0]]", "unequal length"),
        ("[[1,0],[0,0]]", "row 1"),
        ("[[1,", "rows such as [[2,1],[1,2]] were expected"),
        ("exchange:[[1,0.5],[1,1]]", "arbitrage"),
        ("rays:[[1,0]]", "ray"),
        (" ", "a cone's text form was expected"),
    ],
)
def test_bad_cones_are_one_line(capsys, spec, words):
    assert words in refused(capsys, "cone", spec)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("orthant:1000000000", "dim must be at most 255, got 1000000000"),
        ("ranked:1000", "dim must be at most 255, got 1000"),
        ("importance:0.001,300", "dim must be at most 255, got 300"),
        ("ice_cream:60.0,3000", "facets must be at most 1000, got 3000"),
        ("planar:8e-7", "too thin: degrees = 8e-07 is too near to a half line to compute with"),
        ("exchange:[[1,1.000001],[1.000001,1]]", "some exchange there and back costs less than about 1e-06"),
        ("rays:[[1,1.000001],[1.000001,1]]", "the cone is too thin"),
        ("[[1,0],[-1,1e-9]]", "the cone is too thin"),
        ("[[1e400,1],[1,1]]", "W has NaN or infinity in row 0"),
        (f"[[{'9' * 400},1],[1,1]]", "W holds integers beyond 2^53"),
        (f"[[{'9' * 5000},1],[1,1]]", "rows such as [[2,1],[1,2]] were expected"),
        ("[" * 50_000, "rows such as [[2,1],[1,2]] were expected"),
        ("[[[[1]]]]", "W must have shape (N, D)"),
        (f"orthant:{'9' * 400}", "is not a finite number; orthant is written orthant:3"),
        ("importance", "importance:0.29 or importance:0.2,3 (the least share, and the number of objectives)"),
        ("exchange", "exchange needs its matrix: write it exchange:[[1,2],[2,1]] (a bid-ask matrix)"),
        ("planar:1e999", "'1e999' is not a finite number"),
        ("[" + ",".join(["[1,2]"] * 1001) + "]", "W may have up to 1000 rows and 255 columns"),
    ],
    ids=lambda text: text[:40],
)
def test_cones_beyond_reason_are_refused(capsys, spec, words):
    assert words in refused(capsys, "cone", spec)


def test_importance_without_a_share_says_what_is_missing(capsys):
    said = refused(capsys, "cone", "importance", "--dim", "7")
    assert "importance needs the least share of an objective: write it importance:0.29" in said


def test_a_picture_replaces_no_file_unless_it_is_allowed_to(capsys, tmp_path):
    place = tmp_path / "cone.svg"
    place.write_text("precious", encoding="utf-8")
    assert "exists already; name another file, or allow to replace it (--force)" in refused(
        capsys, "cone", "orthant:2", "--plot", str(place)
    )
    assert place.read_text(encoding="utf-8") == "precious"
    run(capsys, "cone", "orthant:2", "--plot", str(place), "--force")
    assert place.read_bytes().startswith(b"<?xml")
