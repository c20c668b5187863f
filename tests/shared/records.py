"""Tables as records: cars, and a long table of evaluations."""

from __future__ import annotations

CARS = [
    {"name": "a", "price": 20000, "power": 90, "fuel": "diesel"},
    {"name": "b", "price": 15000, "power": 70, "fuel": "petrol"},
    {"name": "c", "price": 21000, "power": 80, "fuel": "petrol"},
    {"name": "d", "price": 40000, "power": 200, "fuel": "diesel"},
]

LONG = [
    {"model": model, "metric": metric, "value": value, "seed": seed}
    for seed, model, metric, value in [
        (1, "a", "acc", 0.5),
        (1, "a", "time", 3.0),
        (2, "a", "time", 4.0),
        (2, "a", "acc", 0.6),
        (1, "b", "acc", 0.9),
        (1, "b", "time", 5.0),
    ]
]
