"""Everything asked of a model: what is asked, how it is sent, what is kept of it. No Django here.

``client`` holds the protocols, the configuration and the records; ``render`` and ``templates/``
make the texts; ``questions`` says what a good answer is; ``openai_client`` sends; ``probe`` finds
out what a server obeys; ``scripted`` answers from a script in unit tests.
"""
