#include <nanobind/ndarray.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <utility>

#include "arguments.hpp"
#include "attribute.hpp"
#include "axes.hpp"
#include "dtypes.hpp"
#include "exchange.hpp"
#include "framework.hpp"

namespace cornerturn::python {
namespace {

/// The names of DLDataTypeCode in NumPy's and PyTorch's style; the number of bits is appended to those of the first row.
constexpr std::array<std::string_view, 15> kKinds = {"int",           "uint",
                                                     "float",         "",
                                                     "bfloat",        "complex",
                                                     "bool",          "float8_e3m4",
                                                     "float8_e4m3",   "float8_e4m3b11fnuz",
                                                     "float8_e4m3fn", "float8_e4m3fnuz",
                                                     "float8_e5m2",   "float8_e5m2fnuz",
                                                     "float8_e8m0fnu"};
constexpr int kBool = 6;

/// DLPack's number of the legacy default stream.
constexpr int kDefaultStream = 1;

/// The first members of DLManagedTensorVersioned, which every version begins with, and the flags of version 1.
struct versioned_tensor {
  std::uint32_t major, minor;
  void* context;
  void (*deleter)(versioned_tensor*);
  std::uint64_t flags;
};
constexpr std::uint32_t kMajor = 1;
constexpr std::uint64_t kIsCopied = 2;

constexpr char const *kUnversioned = "dltensor", *kVersioned = "dltensor_versioned";

std::string name_of(nb::dlpack::dtype type, std::string_view name) {
  bool const known = type.code < kKinds.size() && !kKinds[type.code].empty() && (type.code < kBool || type.bits == 8);
  if (!known || type.lanes != 1 || type.bits == 0 || type.bits % 8)
    refuse(PyExc_TypeError, fmt::format("{}.dtype", name),
           fmt::format("of code {} with {} bits and {} lanes", type.code, type.bits, type.lanes), "one number of whole bytes");
  return type.code < kBool ? fmt::format("{}{}", kKinds[type.code], type.bits) : std::string(kKinds[type.code]);
}

/// The dtype of an array of numbers of fewer than 8 bits, such as int4 or float4_e2m1fn, which memory packs; else nothing.
std::string packed_dtype_of(nb::handle array) {
  auto const dtype = find<"dtype">(array);
  auto name = dtype.is_valid() ? text_of(dtype) : "";
  auto const digits = std::find_if(name.begin(), name.end(), [](char letter) { return letter >= '0' && letter <= '9'; });
  auto const kind = std::string(name.begin(), digits);
  int bits = 0;
  std::from_chars(std::to_address(digits), name.data() + name.size(), bits);
  return (kind == "int" || kind == "uint" || kind == "float") && bits > 0 && bits < 8 ? name : "";
}

std::string unpacked(std::string_view name) {
  return fmt::format("of whole bytes; np.asarray({}) has a byte for each element", name);
}

/// Arrays of any framework, through DLPack.
class dlpack_arrays final : public framework {
 public:
  bool owns(nb::handle array) const override { return has<"__dlpack__">(array) && has<"__dlpack_device__">(array); }

  view view_of(nb::handle array, std::string_view name) const override {
    auto const [type, number] = device_of_existing(array, name);
    view result{.of = this};
    if (type == kCuda || type == kCudaManaged)
      result.device = number, result.needs_sync = true;
    else if (type != kCpu && type != kCudaHost)
      refuse(PyExc_TypeError, fmt::format("{}.device", name), fmt::format("of DLPack's type {}", type), "a CPU or a CUDA device");

    nb::ndarray<nb::ro> seen;
    auto const capsule = exported_unless_packed(array, result.device != kHost, name);
    if (PyCapsule_IsValid(capsule.ptr(), kVersioned))
      result.is_copy = is_copied(capsule, name);
    else if (!PyCapsule_IsValid(capsule.ptr(), kUnversioned))
      refuse(PyExc_BufferError, fmt::format("{}.__dlpack__()", name), repr_of(capsule),
             fmt::format("an unused capsule named '{}' or '{}'", kUnversioned, kVersioned));
    if (nb::ndarray<> writable; nb::try_cast(capsule, writable))
      seen = nb::ndarray<nb::ro>(writable);
    else if (result.read_only = true; !nb::try_cast(capsule, seen))
      refuse(PyExc_BufferError, fmt::format("{}.__dlpack__()", name), text_of(capsule),
             fmt::format("a capsule with a tensor of 0 to {} axes", kMaxRank));

    if (text_of(get<"__module__">(array.type())).starts_with("jax")) result.read_only = true;  // DLPack does not report it
    if (auto const packed = seen.dtype().bits < 8 ? packed_dtype_of(array) : ""; !packed.empty())
      refuse(PyExc_TypeError, fmt::format("{}.dtype", name), packed, unpacked(name));
    result.dtype = nb::str(name_of(seen.dtype(), name).c_str());
    result.item_size = std::int64_t(seen.itemsize());
    set_rank(result, std::int64_t(seen.ndim()), name);
    for (int i = 0; i < result.rank; ++i) {
      result.extents[i] = std::int64_t(seen.shape(std::size_t(i)));
      result.stride_bytes[i] = stride_bytes_of(seen.stride(std::size_t(i)), result.item_size, result.extents[i], name);
    }
    expect_countable(result, fmt::format("{}.shape", name));
    result.data = const_cast<void*>(seen.data());
    if (!result.data && !result.is_empty()) refuse(PyExc_BufferError, fmt::format("{}.data", name), "null", "an address");
    result.owner =
        nb::capsule(new nb::ndarray<nb::ro>(seen), [](void* kept) noexcept { delete static_cast<nb::ndarray<nb::ro>*>(kept); });
    return result;
  }

  /// Allocates a NumPy array, because arrays of other frameworks may be immutable; wrap_result converts it.
  nb::object empty(nb::handle like, view const& seen, nb::handle shape) const override {
    if (seen.device != kHost || !has<"__array_namespace__">(like) || !has<"device">(like))
      refuse(PyExc_TypeError, "out", "None", fmt::format("given, because a new {} cannot be allocated", type_of(like)));
    return nb::module_::import_("numpy").attr("empty")(shape, numpy_dtype(seen.dtype, "x.dtype"));
  }

  nb::object wrap_result(nb::handle like, nb::object made) const override {
    return get<"__array_namespace__">(like)().attr("asarray")(made, nb::arg("device") = get<"device">(like));
  }

  nb::object permuted(nb::handle array, nb::handle axes) const override {
    return call<"__array_namespace__">(array).attr("permute_dims")(array, axes);
  }

 private:
  /// True if a capsule with a version says that its memory is a copy. Throws BufferError for a later version, whose members may
  /// be others.
  static bool is_copied(nb::handle capsule, std::string_view name) {
    auto const* const head = static_cast<versioned_tensor const*>(PyCapsule_GetPointer(capsule.ptr(), kVersioned));
    if (head->major != kMajor)
      refuse(PyExc_BufferError, fmt::format("{}.__dlpack__()", name), fmt::format("of DLPack {}.{}", head->major, head->minor),
             fmt::format("of version {}, which max_version asks for", kMajor));
    return (head->flags & kIsCopied) != 0;
  }

  /// As device_of. An array of JAX whose memory was deleted, or donated to a function, is named so.
  static std::pair<int, int> device_of_existing(nb::handle array, std::string_view name) {
    try {
      return device_of(array, name);
    } catch (nb::python_error& e) {
      if (!e.matches(PyExc_Exception) || !has<"is_deleted">(array) || !is_true(call<"is_deleted">(array))) throw;
      refuse_because(e, PyExc_ValueError, name, "deleted or donated", "an array that has its memory");
    }
  }

  /// The device type and the device number.
  static std::pair<int, int> device_of(nb::handle array, std::string_view name) {
    auto const what = fmt::format("{}.__dlpack_device__()", name);
    auto const given = call<"__dlpack_device__">(array);
    auto const place = read_index_list(given, what);
    if (place.size != 2 || !std::ranges::all_of(place.list(), [](std::int64_t number) { return std::in_range<int>(number); }))
      refuse(PyExc_ValueError, what, text_of(given), "the type of a device and its number");
    return {int(place.numbers[0]), int(place.numbers[1])};
  }

  /// As exported. If the owner does not export the array because its numbers are packed, the dtype is named so.
  static nb::object exported_unless_packed(nb::handle array, bool on_gpu, std::string_view name) {
    try {
      return exported(array, on_gpu);
    } catch (nb::python_error& e) {
      auto const packed = e.matches(PyExc_Exception) ? packed_dtype_of(array) : "";
      if (packed.empty()) throw;
      refuse_because(e, PyExc_TypeError, fmt::format("{}.dtype", name), packed, unpacked(name));
    }
  }

  /// Exports the array. For GPU memory the producer makes the default stream wait for its enqueued work.
  static nb::object exported(nb::handle array, bool on_gpu) {
    nb::dict options;
    if (on_gpu) options["stream"] = kDefaultStream;
    options["max_version"] = nb::make_tuple(kMajor, 0);
    auto const ask = array.attr("__dlpack__");
    try {
      return ask(**options);
    } catch (nb::python_error& e) {  // a producer older than DLPack 1.0 has no max_version
      if (!e.matches(PyExc_TypeError)) throw;
    }
    PyDict_DelItemString(options.ptr(), "max_version");
    return ask(**options);
  }
};

}  // namespace

framework const& dlpack() {
  static dlpack_arrays const instance;
  return instance;
}

}  // namespace cornerturn::python
