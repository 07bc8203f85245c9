"""Ten models with random weights, for bench/torch_steps.py. Those of torchvision and transformers have these libraries' own code."""

import importlib
import typing

import torch
from torch import nn

import torch_models


class DiffusionTransformer(nn.Module):
    """Patches of 2 x 2 latents of four channels, encoder layers, and latents again."""

    def __init__(self, length, width=384, layers=12):
        super().__init__()
        self.side = length // 2
        self.patches = nn.Conv2d(4, width, 2, 2)
        self.places = nn.Parameter(torch.zeros(self.side ** 2, width))
        layer = nn.TransformerEncoderLayer(width, 6, 4 * width, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.last = nn.Linear(width, 2 * 2 * 4)

    def forward(self, latents):
        tokens = self.encoder(self.patches(latents).flatten(2).transpose(1, 2) + self.places)
        patches = self.last(tokens).unflatten(1, (self.side, self.side)).unflatten(3, (2, 2, 4))
        return patches.permute(0, 5, 1, 3, 2, 4).reshape(latents.shape)


class Case(typing.NamedTuple):
    """A model and its input. Sizes are the batch and a length: pixels along a side, tokens, frames or latents along a side."""

    package: str
    make: typing.Callable[[typing.Any, int], nn.Module]  # from the package, for this length
    source: typing.Callable[[int, int], torch.Tensor]
    sizes: tuple[int, int]
    tiny: tuple[int, int]
    memory_format: torch.memory_format = torch.contiguous_format

    def built(self, device, is_tiny):
        """The model and its input on a device. Raises ImportError if the package is missing."""
        batch, length = self.tiny if is_tiny else self.sizes
        torch.manual_seed(0)
        model = self.make(importlib.import_module(self.package), length).to(device=device, memory_format=self.memory_format)
        source = self.source(batch, length).to(device)
        return model, source.to(memory_format=self.memory_format) if source.dim() == 4 else source


def images(batch, pixels):
    return torch.randn(batch, 3, pixels, pixels)


def tokens(batch, length):
    return torch.randint(1000, (batch, length))


LLAMA = {"vocab_size": 8192, "hidden_size": 1024, "intermediate_size": 2816, "num_hidden_layers": 8, "num_attention_heads": 16,
         "num_key_value_heads": 4, "use_cache": False}
CASES = {
    "U-Net, channels_last": Case("torch", lambda _, pixels: torch_models.UNet(), images, (32, 224), (2, 32), torch.channels_last),
    "Swin-T": Case("torchvision", lambda v, _: v.models.swin_t(), images, (256, 224), (1, 64)),
    "ConvNeXt-T": Case("torchvision", lambda v, _: v.models.convnext_tiny(), images, (64, 224), (1, 64)),
    "ResNet-50, channels_last": Case("torchvision", lambda v, _: v.models.resnet50(), images, (64, 224), (2, 64), torch.channels_last),
    "ViT-B/16": Case("torchvision", lambda v, pixels: v.models.vit_b_16(image_size=pixels), images, (64, 224), (1, 64)),
    "diffusion transformer": Case("torch", lambda _, length: DiffusionTransformer(length), lambda batch, length: torch.randn(
        batch, 4, length, length), (64, 32), (2, 8)),
    "Whisper's encoder": Case("transformers", lambda t, frames: t.WhisperModel(t.WhisperConfig(max_source_positions=frames // 2)).encoder,
                              lambda batch, frames: torch.randn(batch, 80, frames), (16, 3000), (1, 100)),
    "GPT-2": Case("transformers", lambda t, _: t.GPT2Model(t.GPT2Config(use_cache=False)), tokens, (8, 1024), (1, 32)),
    "Llama": Case("transformers", lambda t, _: t.LlamaModel(t.LlamaConfig(**LLAMA)), tokens, (4, 1024), (1, 32)),
    "BERT": Case("transformers", lambda t, _: t.BertModel(t.BertConfig()), tokens, (32, 128), (1, 32)),
}
