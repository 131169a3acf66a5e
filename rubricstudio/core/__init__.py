"""The pure core: values, formulas, checkers and the bundle format.

Nothing in this package knows a framework, a database, a network or a queue, so the same code
computes the same numbers in the application, in the scoring service and in a trainer's process.
"""
