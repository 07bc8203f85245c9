"""Two small models with random weights, whose steps copy between layouts."""

import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel


class VisionTransformer(nn.Module):
    """Patches of 16 x 16 pixels, four encoder layers."""

    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(3, 192, 16, 16)
        layer = nn.TransformerEncoderLayer(192, 3, 768, dropout=0, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 4, enable_nested_tensor=False)

    def forward(self, images):
        return self.encoder(self.patches(images).flatten(2).transpose(1, 2).contiguous())


class UNet(nn.Module):
    """Three scales, with skip connections."""

    def __init__(self):
        super().__init__()
        block = lambda a, b: nn.Sequential(nn.Conv2d(a, b, 3, padding=1), nn.GroupNorm(8, b), nn.SiLU())
        self.down = nn.ModuleList([block(3, 32), block(32, 64), block(64, 128)])
        self.up = nn.ModuleList([block(128 + 64, 64), block(64 + 32, 32)])
        self.last = nn.Conv2d(32, 3, 1)

    def forward(self, images):
        kept = []
        for block in self.down:
            kept.append(images := block(nn.functional.avg_pool2d(images, 2) if kept else images))
        for block, skipped in zip(self.up, kept[-2::-1]):
            images = block(torch.cat([nn.functional.interpolate(images, scale_factor=2), skipped], 1))
        return self.last(images)


def step(make, device, images, pixels):
    """Returns a function that runs a model forward and backward on so many square images and returns its result and gradients."""
    torch.manual_seed(0)
    model = make().to(device=device, memory_format=torch.channels_last)
    batch = torch.randn(images, 3, pixels, pixels, device=device)

    def run():
        model.zero_grad()
        with torch.backends.cudnn.flags(enabled=True, deterministic=True):  # the same bits in each run
            result = model(batch.to(memory_format=torch.channels_last))
            result.square().mean().backward()
        return [result.detach(), *(parameter.grad for parameter in model.parameters())]

    return run


def repeatable():
    """Returns a context in which attention adds in one order. Its faster kernels for a GPU do not, when they run backward."""
    return sdpa_kernel(SDPBackend.MATH)


MODELS = {"vision transformer": VisionTransformer, "U-Net": UNet}
