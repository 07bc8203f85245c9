"""Images and 8-bit floats of PyTorch's tensors: on each device the same bits as of NumPy's arrays, which tests/python holds against
NumPy."""

import ml_dtypes
import numpy as np
import pytest
import torch

import cornerturn
from cornerturn.fp8 import quantize
from cornerturn.images import to_planes

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
DTYPES = [(torch.float32, np.float32), (torch.float16, np.float16), (torch.bfloat16, ml_dtypes.bfloat16)]


def bits(each):
    """The bytes of an array or tensor."""
    if isinstance(each, torch.Tensor):
        return each.cpu().contiguous().view(torch.uint8).numpy()
    return np.ascontiguousarray(each).view(np.uint8)


def pixels(*shape):
    return np.random.default_rng(5).integers(0, 256, shape, np.uint8)


@pytest.mark.parametrize("dtype, of_numpy", DTYPES)
@pytest.mark.parametrize("shape", [(3, 32, 64, 3), (2, 16, 24, 4), (64, 48, 3), (2, 37, 41, 3)])
def test_planes_are_those_of_numpy(device, shape, dtype, of_numpy):
    x = pixels(*shape)
    mean, std = (MEAN, STD) if shape[-1] == 3 else (0.5, 0.25)
    result = to_planes(torch.from_numpy(x).to(device), dtype, mean, std)
    assert result.device.type == device and result.dtype == dtype and result.is_contiguous()
    np.testing.assert_array_equal(bits(result), bits(to_planes(x, of_numpy, mean, std)))


def test_planes_of_crops_of_mirrored_images_and_in_a_part_of_a_batch(device):
    x = pixels(4, 50, 60, 3)
    on_device = torch.from_numpy(x).to(device)
    crop = np.s_[:, 3:43, 12:44]
    np.testing.assert_array_equal(bits(to_planes(on_device[crop], "float16", MEAN, STD)), bits(to_planes(x[crop], "float16", MEAN, STD)))
    np.testing.assert_array_equal(bits(to_planes(on_device, mean=MEAN, std=STD, flip=True)),
                                  bits(to_planes(x, mean=MEAN, std=STD, flip=True)))
    batch = torch.zeros((6, 3, 40, 32), device=device)
    assert to_planes(on_device[crop], mean=MEAN, std=STD, out=batch[1:5]).data_ptr() == batch[1].data_ptr()
    np.testing.assert_array_equal(bits(batch[1:5]), bits(to_planes(x[crop], mean=MEAN, std=STD)))
    assert not batch[0].any() and not batch[5].any()


@pytest.mark.parametrize("dtype, of_numpy", DTYPES)
@pytest.mark.parametrize("shape", [(300, 16, 16, 3), (3, 37, 41, 3), (2, 16, 24, 4)])
def test_a_list_of_images_is_that_batch(device, shape, dtype, of_numpy):
    x = pixels(*shape)
    images = [torch.from_numpy(each).to(device) for each in x]
    result = to_planes(images, dtype, 0.5, 0.25)
    assert result.device.type == device and result.dtype == dtype and result.is_contiguous()
    np.testing.assert_array_equal(bits(result), bits(to_planes(x, of_numpy, 0.5, 0.25)))


def test_a_list_of_crops_of_images_of_several_sizes_mirrored_and_in_a_part_of_a_batch(device):
    x = [pixels(40, width, 3) for width in (50, 50, 33, 64, 64)]
    crops = [image[5:37, first : first + 24] for first, image in enumerate(x)]
    on_device = [torch.from_numpy(image).to(device)[5:37, first : first + 24] for first, image in enumerate(x)]
    batch = torch.zeros((7, 3, 32, 24), device=device)
    assert to_planes(on_device, mean=MEAN, std=STD, out=batch[1:6]).data_ptr() == batch[1].data_ptr()
    np.testing.assert_array_equal(bits(batch[1:6]), bits(to_planes(crops, mean=MEAN, std=STD)))
    assert not batch[0].any() and not batch[6].any()
    np.testing.assert_array_equal(bits(to_planes(on_device, "float16", MEAN, STD, flip=True)),
                                  bits(to_planes(crops, "float16", MEAN, STD, flip=True)))


def test_a_list_of_images_in_a_graph(device):
    if device == "cpu":
        pytest.skip("needs a GPU")
    x = pixels(20, 16, 24, 3)
    images = [torch.from_numpy(each).to(device) for each in x]
    out = to_planes(images, mean=MEAN, std=STD)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        to_planes(list(images), mean=MEAN, std=STD, out=out)
    out.zero_()
    graph.replay()
    np.testing.assert_array_equal(bits(out), bits(to_planes(x, mean=MEAN, std=STD)))


def test_lists_of_images_of_several_kinds_are_refused(device):
    image = torch.zeros((4, 4, 3), dtype=torch.uint8, device=device)
    for other, message in ((np.zeros((4, 4, 3), np.uint8), r"x\[1\] is of type numpy.ndarray; it must be of the framework of x\[0\]"),
                           (image.float(), r"x\[1\].dtype is torch.float32; it must be torch.uint8, as that of x\[0\]"),
                           (image[:3], r"x\[1\].shape is \(3, 4, 3\); it must be \(4, 4, 3\), as that of x\[0\]")):
        with pytest.raises(cornerturn.Error, match=message):
            to_planes([image, other])
    if device != "cpu":
        with pytest.raises(cornerturn.ArgumentError, match=r"x\[1\].device is cpu; it must be cuda:0, as that of x\[0\]"):
            to_planes([image, image.cpu()])


def test_mirrored_images_of_a_dtype_that_pytorch_lacks_are_refused(device):
    with pytest.raises(cornerturn.ArgumentTypeError, match="dtype is '>f4'; it must be one that PyTorch has"):
        to_planes(torch.zeros((4, 4, 3), dtype=torch.uint8, device=device), ">f4", flip=True)


def test_no_bias_keeps_the_alpha_of_a_permutation(device):
    x = pixels(2, 16, 32, 3)
    result = cornerturn.permute(torch.from_numpy(x).to(device), (0, 3, 1, 2), dtype=torch.float32, alpha=1 / 255)
    np.testing.assert_array_equal(bits(result), bits(cornerturn.permute(x, (0, 3, 1, 2), dtype="float32", alpha=1 / 255)))


@pytest.mark.parametrize("block", [(1, 128), (128, 128), None])
@pytest.mark.parametrize("dtype, of_numpy", DTYPES)
def test_8_bit_floats_are_those_of_numpy(device, dtype, of_numpy, block):
    given = {} if block else {"scale": 0.03}
    for shape in (256, 384), (130, 77):
        x = (np.random.default_rng(6).standard_normal(shape) * 20).astype(of_numpy)
        tensor = torch.from_numpy(x.astype(np.float32)).to(device, dtype)
        for outputs in "rows", "columns", "both":
            result = quantize(tensor, "float8_e4m3fn", block, outputs=outputs, **given)
            wanted = quantize(x, "float8_e4m3fn", block, outputs=outputs, **given)
            assert float(result.amax) == float(wanted.amax)
            for each, expected in ((result.rows, wanted.rows), (result.columns, wanted.columns)):
                assert (each is None) == (expected is None)
                if each is not None:
                    assert each.values.dtype == torch.float8_e4m3fn and each.values.device.type == device
                    np.testing.assert_array_equal(bits(each.values), bits(expected.values))
                    if block:
                        np.testing.assert_array_equal(each.scales.cpu().numpy(), expected.scales)


def test_a_scale_on_the_device_is_read_there(device):
    x = torch.randn((256, 384), device=device, dtype=torch.bfloat16)
    last = quantize(x).amax
    scale = last.clamp(min=1e-12) / 448
    found, wanted = (quantize(x, block=None, scale=each, outputs="both") for each in (scale, float(scale)))
    for each, expected in zip(found[:2], wanted[:2], strict=True):
        np.testing.assert_array_equal(bits(each.values), bits(expected.values))
    with pytest.raises(cornerturn.ArgumentTypeError, match="scale.dtype is float64; it must be float32"):
        quantize(x, block=None, scale=scale.double())


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_a_graph_reads_the_scale_anew():
    x, scale = torch.randn((256, 384), device="cuda"), torch.ones((), device="cuda")
    with pytest.raises(cornerturn.Error, match="scale.device is cpu; it must be cuda:0, as that of x"):
        quantize(x, block=None, scale=scale.cpu())
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        values = quantize(x, block=None, scale=scale).rows.values
    for number in 0.5, 0.01:
        scale.fill_(number)
        graph.replay()
        np.testing.assert_array_equal(bits(values), bits(quantize(x, block=None, scale=number).rows.values))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_a_graph_finds_the_scales_of_rows_anew():
    x = torch.randn((256, 384), device="cuda")
    quantize(x, block=(1, None))  # loads the kernels
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        found = quantize(x, block=(1, None), outputs="both")
    for factor in 100, 1e-3:  # smaller numbers leave no magnitudes behind
        x.mul_(factor)
        graph.replay()
        for each, expected in zip(found[:2], quantize(x, block=(1, None), outputs="both")[:2], strict=True):
            np.testing.assert_array_equal(bits(each.values), bits(expected.values))
            assert torch.equal(each.scales, expected.scales)
