"""What was said on the page besides a cone: exchanges and choices, added to it by `conewise.preferences`."""

from __future__ import annotations

from typing import Any, Final

from conewise.cone.cone import Cone
from conewise.dashboard.preferences import cone_of, is_number
from conewise.dashboard.sources import Designs
from conewise.errors import InputError, printable
from conewise.preferences.preferences import Preferences
from conewise.preferences.statements import Statement

_FORMS: Final = (
    '{"accept": [given, amount, got, amount]} with objectives by number, {"prefer": [values, values]} or '
    '{"undecided": [values, values]}'
)
_MOST: Final = 200
_LONGEST_NAME: Final = 200


def stated(preference: object, designs: Designs) -> Cone:
    """The cone of a preference: of its base alone, or together with what was said."""
    base, said = _parts(preference)
    cone = cone_of(base, designs.dim)
    return all_said(preference, designs).cone if said else cone


def all_said(preference: object, designs: Designs) -> Preferences:
    """Base and statements as one value; the componentwise order needs no saying."""
    base, said = _parts(preference)
    cone, found = cone_of(base, designs.dim), _spoken(said, designs)
    return found if cone == Cone.orthant(designs.dim) else found.better_under(cone)


def sentences(preference: object, designs: Designs, opening: Cone | None = None) -> list[str]:
    """What was said besides the base, one line each; first what made the `opening` cone, where that is the base."""
    first = opening.said if opening is not None and cone_of(_parts(preference)[0], designs.dim) == opening else ()
    return [printable(words) for words in (*first, *(statement.words for statement in spoken(preference, designs)))]


def spoken(preference: object, designs: Designs) -> tuple[Statement, ...]:
    """What was said besides the base, in its order."""
    return _spoken(_parts(preference)[1], designs).statements


def _spoken(said: list[Any], designs: Designs) -> Preferences:
    found = Preferences(designs.meaning)
    for statement in said:
        found = _with(found, statement, designs)
    return found


def _parts(preference: object) -> tuple[dict[str, Any], list[Any]]:
    if not isinstance(preference, dict):
        return {}, []  # refused by cone_of
    said = preference.get("said", [])
    if not isinstance(said, list) or len(said) > _MOST:
        raise InputError(f"what was said is a list of at most {_MOST} statements.")
    return {key: value for key, value in preference.items() if key != "said"}, said


def _with(found: Preferences, statement: object, designs: Designs) -> Preferences:
    if isinstance(statement, dict):
        kind = next((kind for kind in ("accept", "prefer", "undecided") if kind in statement), None)
        said: Any = statement.get(kind)
        if kind == "accept" and _is_exchange(said, designs.dim):
            give, much, get, more = said
            objectives = designs.objectives
            return found.accepts(give={objectives[give]: float(much)}, get={objectives[get]: float(more)})
        if kind in ("prefer", "undecided") and _is_pair(said, designs.dim):
            one, other = said
            names = _names(statement.get("names"))
            if kind == "prefer":
                return found.prefers(one, over=other, names=names)
            return found.cannot_say(one, other, names=names)
    raise InputError(f"a statement is one of {_FORMS}.")


def _is_exchange(said: object, dim: int) -> bool:
    if not isinstance(said, list) or len(said) != 4 or not (is_number(said[1]) and is_number(said[3])):
        return False
    return all(type(place) is int and 0 <= place < dim for place in said[::2])


def _is_pair(said: object, dim: int) -> bool:
    return (
        isinstance(said, list)
        and len(said) == 2
        and all(isinstance(one, list) and len(one) == dim and all(map(is_number, one)) for one in said)
    )


def _names(names: object) -> tuple[str, str] | None:
    if isinstance(names, list) and len(names) == 2 and all(isinstance(name, str) for name in names):
        return names[0][:_LONGEST_NAME], names[1][:_LONGEST_NAME]
    return None
