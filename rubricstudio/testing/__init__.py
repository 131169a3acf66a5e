"""Stand-ins that tests and demonstrations may use: a model server that never leaves the machine."""
