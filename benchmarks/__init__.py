"""How fast conewise is, as ratios to a named peer or a slow twin on the same work in the same run: `make bench`.

Seconds of one machine say little on another; ratios taken side by side say more. Both sides answer the same question,
the answers are compared, the calls alternate (A B A B ...) and the least CPU time of each counts.
"""

import os

# One core for both sides, and before numpy is imported: the linear algebra libraries read these once.
for _library in ("OPENBLAS", "OMP", "MKL", "VECLIB_MAXIMUM", "NUMEXPR"):
    os.environ[f"{_library}_NUM_THREADS"] = "1"
