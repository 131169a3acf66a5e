"""Make a tiny random chat model that vLLM serves. Run by the Python of .venv-vllm.

    python tests/vllm/tiny_model.py FOLDER

Seeded, so that two runs make the same files. What it says has no meaning; that it has a reasoning
mark, a chat template with a thinking switch and a real tokenizer is all that the tests need.
"""

import sys
from pathlib import Path

# These three are installed beside vLLM only.
import torch  # type: ignore[import-not-found]
from tokenizers import (  # type: ignore[import-not-found]
    Tokenizer,
    decoders,
    models,
    pre_tokenizers,
    trainers,
)
from transformers import (  # type: ignore[import-not-found]
    PreTrainedTokenizerFast,
    Qwen3Config,
    Qwen3ForCausalLM,
)

SEED = 7
VOCABULARY = 2048
CONTEXT = 4096
MARKS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
THINKING = ["<think>", "</think>"]
CHAT_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n"
    "{% if enable_thinking is defined and not enable_thinking %}<think>\n\n</think>\n\n"
    "{% endif %}{% endif %}"
)


def make_tokenizer(texts: list[str]) -> PreTrainedTokenizerFast:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY - len(THINKING),
        special_tokens=MARKS,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    tokenizer.train_from_iterator(texts, trainer)
    # The marks of thinking are ordinary tokens: a parser has to see them in the text.
    tokenizer.add_tokens(THINKING)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        chat_template=CHAT_TEMPLATE,
    )


def make_model(tokenizer: PreTrainedTokenizerFast) -> Qwen3ForCausalLM:
    torch.manual_seed(SEED)
    config = Qwen3Config(
        vocab_size=VOCABULARY,
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=32,  # the smallest that vLLM computes on a CPU
        max_position_embeddings=CONTEXT,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    return Qwen3ForCausalLM(config)


def main(folder: Path) -> None:
    root = Path(__file__).resolve().parents[2]
    texts = [
        one.read_text(encoding="utf-8")
        for pattern in ("rubricstudio/llm/**/*.txt", "rubricstudio/core/**/*.py")
        for one in sorted(root.glob(pattern))
    ]
    tokenizer = make_tokenizer(texts)
    tokenizer.save_pretrained(folder)
    make_model(tokenizer).save_pretrained(folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
