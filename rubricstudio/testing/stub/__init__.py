"""A model server without a model: it speaks vLLM's dialect and answers by a planted truth.

Every answer is a function of a hash of what was asked, so two runs agree, and a test can compute
what the judge will say (``truth``). Any share of the requests can be made to fail in the ways real
servers fail (``behaviour``), and every request is written to a log on disk (``requestlog``), from
which a test sees that nothing was lost or asked twice. The contract tests of ``tests/llm`` hold it
to what the real servers do.

Run it as ``python -m rubricstudio.testing.stub --port 8000 --log requests.jsonl``, or inside a
test with :func:`rubricstudio.testing.stub.process.stub_server`.
"""
