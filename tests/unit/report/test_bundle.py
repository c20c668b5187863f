"""Pages that stand alone: modules in one script, digests that a browser knows, and data that no text breaks out of."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib

import pytest

from conewise.report.bundle import DRAWINGS, bundle, embedded, fingerprint, packed, policy, shared, written


def test_modules_become_functions_that_hand_on_what_they_export():
    script = bundle(
        {
            "dom.js": "// a comment\nexport const one = 1;\nconst hidden = 2;\n",
            "canvas.js": 'import { one } from "./dom.js";\nexport function twice() {\n  return 2 * one;\n}\n',
        }
    )
    assert script.startswith('"use strict";\n')
    assert "comment" not in script
    assert not re.search(r"^(import|export) ", script, re.MULTILINE)
    assert script.index("const from_dom = ") < script.index("const { one } = from_dom;")
    assert "return { one };" in script
    assert "return { twice };" in script


def test_every_module_that_draws_comes_after_those_that_it_needs():
    for place, name in enumerate(DRAWINGS):
        needed = set(re.findall(r'from "\./(\w+\.js)"', shared(name)))
        assert needed <= set(DRAWINGS[:place])


def test_a_policy_names_exactly_what_may_run_and_look():
    script, style = "run();", "p { color: red }"
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert fingerprint(script) == f"sha256-{digest}"
    found = dict(part.split(" ", 1) for part in policy([script], [style], "img-src data:; ").split("; "))
    assert found["default-src"] == found["base-uri"] == found["form-action"] == "'none'"
    assert found["script-src"] == f"'{fingerprint(script)}'"
    assert found["style-src"] == f"'{fingerprint(style)}'"
    assert found["img-src"] == "data:"


@pytest.mark.parametrize("text", ["</script><script>alert(1)</script>", "<!--", "a & b", "\u2028\u2029", 'say "yes"'])
def test_no_text_breaks_out_of_the_data(text):
    said = embedded({text: [text, 1.5, None]})
    assert not re.search("[<>&\u2028\u2029]", said)
    assert json.loads(said) == {text: [text, 1.5, None]}


def test_a_number_that_json_has_not_is_refused():
    with pytest.raises(ValueError, match="not JSON compliant"):
        embedded([float("nan")])


def test_what_is_packed_is_smaller_and_nothing_of_it_is_lost():
    text = written({"names": ["</script>", "ä", "\u2028"] * 100, "values": [1.5, 2]})
    made = packed(text)
    assert set(made) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=")
    assert len(made) < len(text) / 4
    assert zlib.decompress(base64.b64decode(made)).decode() == text
