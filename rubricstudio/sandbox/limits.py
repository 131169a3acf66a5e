"""The sizes and times that hold a checker, told to the zygote when it starts."""

CASE_SECONDS = 0.5
"""How long a checker may take for one response, by a timer that ends its process."""

GRACE_SECONDS = 0.2
"""How much later the zygote ends a checker that got rid of its timer."""

START_SECONDS = 2.0
"""What reading, gating and compiling a source may take before its first response."""

MEMORY_BYTES = 384 * 2**20
OPEN_FILES = 16

LONGEST_SOURCE = 20_000
"""Code points of a checker's source; the gate refuses a longer one, and so does the jail."""

LONGEST_RESPONSE = 2_000_000
"""Code points of a response that a generated checker is asked about."""

RESPONSES_A_BATCH = 64
BATCH_BYTES = 8 * 2**20
"""Bytes of the responses of one batch; more are sent in several, so that memory stays flat."""

FRAME_BYTES = 2**20
"""The longest answer that is read, of a child or of the zygote."""

LONGEST_REASON = 240

HARD_FAILURES = 3
"""Timeouts, crashes and the like after which the rest of a batch is not run."""
