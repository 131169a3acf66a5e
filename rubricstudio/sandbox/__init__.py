"""Runs a checker that nobody trusts, in a jail of the operating system's own walls.

``jail`` is what callers use: it starts a zygote and asks it for outcomes. ``gate`` reads a source
before it may run. ``ladder`` says which walls stand on this machine. What runs inside the zygote is
in ``inside``; it imports little, for each check is a fork of it.
"""
