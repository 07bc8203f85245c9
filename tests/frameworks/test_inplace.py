"""permute_inplace on tensors: autograd, views, and what is refused."""

import cornerturn
import pytest

torch = pytest.importorskip("torch")


@pytest.mark.parametrize("dtype", [torch.uint8, torch.bfloat16, torch.float32, torch.complex128], ids=str)
def test_a_tensor_is_permuted_within_its_memory(dtype):
    x = torch.arange(2 * 5 * 5).reshape(2, 5, 5).to(dtype)
    expected, address = x.transpose(1, 2).contiguous(), x.data_ptr()
    assert cornerturn.permute_inplace(x, (0, 2, 1)) is x
    assert torch.equal(x, expected) and x.data_ptr() == address


def test_another_shape_is_a_view():
    x = torch.arange(36).reshape(2, 3, 6)
    expected = x.permute(2, 0, 1).contiguous()
    result = cornerturn.permute_inplace(x, (2, 0, 1))
    assert torch.equal(result, expected) and result.data_ptr() == x.data_ptr()


def test_autograd_refuses_what_it_has_saved():
    x, w = torch.rand(3, 3), torch.rand(3, 3, requires_grad=True)
    product = (x * w).sum()
    cornerturn.transpose_inplace(x)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.backward()


def test_tensors_that_autograd_tracks_are_refused():
    x = torch.rand(3, 3, requires_grad=True)
    before = x.detach().clone()
    for each in (x, x * 1):
        with pytest.raises(ValueError, match="x is tracked by autograd"):
            cornerturn.transpose_inplace(each)
    assert torch.equal(x.detach(), before)
    with torch.no_grad():
        cornerturn.transpose_inplace(x)
    assert torch.equal(x.detach(), before.T)


def test_inference_tensors_are_permuted():
    with torch.inference_mode():
        x = torch.rand(3, 3)
        expected = x.T.clone()
        assert torch.equal(cornerturn.transpose_inplace(x), expected)


@pytest.mark.parametrize("make, message", [
    (lambda x: x.T, "x is in Fortran order; it must be dense in C order, as x.T"), (lambda x: x[0].expand(3, 3), "must be those of a dense array in C order"),
    (lambda x: x[:2, :2], "must be those of a dense array in C order"),
    (lambda x: torch.complex(x, x).conj(), "x is conjugated or negated lazily")])
def test_other_views_are_refused(make, message):
    x = torch.arange(9.0).reshape(3, 3)
    with pytest.raises(ValueError, match=message):
        cornerturn.transpose_inplace(make(x))
    assert torch.equal(x, torch.arange(9.0).reshape(3, 3))
