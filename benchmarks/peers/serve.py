"""The loop that every peer's script runs: a line of JSON in, a line of JSON out; nothing of conewise is imported."""

import json
import os
import sys
import time


def serve(load, answer):
    """`load()` imports the peer and returns it; `answer(peer, question)` returns a dictionary."""
    speak = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the peer prints must not stand between the answers
    peer, trouble = None, ""
    try:
        peer = load()
    except ImportError:
        trouble = "absent"
    for line in sys.stdin:
        if not trouble:
            try:
                reply = answer(peer, json.loads(line))
            except MemoryError:
                reply = {"trouble": "ran out of memory"}
            except Exception as error:
                reply = {"trouble": f"failed with {type(error).__name__}"}
        else:
            reply = {"trouble": trouble}
        speak.write(json.dumps(reply) + "\n")
        speak.flush()


def timed(work):
    """CPU seconds of one call, and what it returned."""
    start = time.process_time()
    found = work()
    return time.process_time() - start, found
