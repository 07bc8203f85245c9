#include "file/npy.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>

#include "cornerturn/error.hpp"
#include "cornerturn/text.hpp"
#include "file/dtype.hpp"
#include "file/literal.hpp"
#include "problem/validate.hpp"

namespace cornerturn {
namespace {

constexpr std::int64_t kAlignment = 64;  // bytes; NumPy aligns the data so, for mmap and vector loads

/// The longest header that is read. np.save writes up to 4 GiB; np.load refuses more than 10000 bytes by default. 1 MiB holds
/// some 40000 fields and takes less than 100 MB to parse.
constexpr std::int64_t kMostHeaderBytes = 1 << 20;

[[noreturn]] void refuse_npy(std::string_view name, std::string_view what) {
  throw error(error_kind::file, fmt::format("{}: {}", name, what));
}

/// The size in bytes of the header's length field.
std::int64_t length_bytes(int major) { return major == 1 ? 2 : 4; }

void require(std::string_view name, std::int64_t size, std::int64_t bytes, std::string_view what) {
  if (size < bytes) {
    throw error(error_kind::file,
                fmt::format("{} is truncated: it has {} bytes and its {} ends at byte {}", name, size, what, bytes));
  }
}

std::int64_t little_endian(std::string_view bytes) {
  std::int64_t value = 0;
  for (std::size_t i = bytes.size(); i > 0; --i) value = value << 8 | static_cast<unsigned char>(bytes[i - 1]);
  return value;
}

std::vector<std::int64_t> shape_of(literal const& value, std::string_view name) {
  std::vector<std::int64_t> shape;
  bool sound = value.type == literal::kind::tuple;
  for (literal const& extent : value.items) {
    sound = sound && extent.type == literal::kind::integer && extent.integer >= 0;
    shape.push_back(extent.integer);
  }
  if (!sound) refuse_npy(name, "malformed header: the shape is not a tuple of numbers of 0 or more");
  return shape;
}

std::int64_t bytes_of(npy_header const& header, std::string_view name) {
  if (std::ranges::find(header.shape, 0) != header.shape.end()) return 0;
  std::int64_t bytes = header.element_size;
  for (std::int64_t extent : header.shape) {
    if (__builtin_mul_overflow(bytes, extent, &bytes)) {
      refuse_npy(name, fmt::format("malformed header: the size of {} elements of {} exceeds 64 bits",
                                   fmt::join(header.shape, " x "), count_text(header.element_size, "byte")));
    }
  }
  return bytes;
}

void read_dict(npy_header& header, std::string_view text, std::string_view name) {
  // NumPy reads the L of Python 2 in versions that Python 2 wrote.
  literal const dict = parse_literal(text, name, header.major < 3);
  if (dict.type != literal::kind::dict) refuse_npy(name, "malformed header: it is not a dict");
  // As in Python, the last value of a repeated key counts.
  std::map<std::string_view, literal const*> values;
  for (std::size_t i = 0; i < dict.items.size(); i += 2)
    values[dict.items[i].type == literal::kind::string ? dict.items[i].string : dict.items[i].source] = &dict.items[i + 1];
  auto const find = [&](std::string_view key) -> literal const& {
    if (auto const found = values.find(key); found != values.end()) return *found->second;
    refuse_npy(name, fmt::format("malformed header: '{}' is missing", key));
  };
  literal const& descr = find("descr");
  literal const& fortran = find("fortran_order");
  literal const& shape = find("shape");
  if (values.size() != 3) refuse_npy(name, "malformed header: it has other keys than 'descr', 'fortran_order' and 'shape'");

  header.descr = descr.source;
  header.element_size = dtype_size(descr, name);
  if (descr.type == literal::kind::string) header.type = type_of_code(descr.string), header.swapped = is_swapped(descr.string);
  if (header.type == element_type::f8_e5m2) header.descr = fmt::format("'{}'", code_of_type(*header.type));
  if (fortran.type != literal::kind::boolean) refuse_npy(name, "malformed header: 'fortran_order' is neither True nor False");
  header.order = fortran.integer ? storage_order::fortran : storage_order::c;
  header.shape = shape_of(shape, name);
  header.bytes = bytes_of(header, name);
}

std::string dict_of(npy_header const& header, std::span<std::int64_t const> shape) {
  return fmt::format("{{'descr': {}, 'fortran_order': False, 'shape': ({}{}), }}", header.descr, fmt::join(shape, ", "),
                     shape.size() == 1 ? "," : "");
}

/// A header of a version whose text has `length` bytes.
std::string preamble_of(int major, std::int64_t length, std::string text) {
  std::string preamble(kNpyMagic);
  preamble += static_cast<char>(major);
  preamble += '\0';
  for (int i = 0; i < length_bytes(major); ++i) preamble += static_cast<char>(length >> (8 * i) & 0xFF);
  text.resize(length - 1, ' ');
  return preamble + text + '\n';
}

/// Returns `count` bytes at byte `offset` of a file.
using bytes_reader = std::function<std::string(std::int64_t offset, std::int64_t count)>;

npy_header read_header(std::string const& name, std::int64_t size, bytes_reader const& read) {
  std::int64_t const fixed = kNpyMagic.size() + 2;
  std::string const start = read(0, std::min(size, fixed + 4));
  if (start.starts_with(kHalfPermutedMagic))
    refuse_npy(name, "half permuted: cornerturn transpose --inplace was stopped, and the same call finishes it");
  if (!start.starts_with(kNpyMagic))
    refuse_npy(name,
               "not a .npy file: it does not begin with \\x93NUMPY; a raw file needs --raw, --shape, --type and, "
               "if the array has bytes before it, --offset");
  require(name, size, fixed, "version");

  npy_header header;
  header.major = static_cast<unsigned char>(start[6]);
  int const minor = static_cast<unsigned char>(start[7]);
  if (header.major < 1 || header.major > 3 || minor != 0) {
    refuse_npy(name, fmt::format("version {}.{} of the .npy format is not supported; 1.0, 2.0 and 3.0 are", header.major, minor));
  }
  std::int64_t const before = fixed + length_bytes(header.major);
  require(name, size, before, "header's length");
  std::int64_t const length = little_endian(std::string_view(start).substr(fixed, length_bytes(header.major)));
  if (length > kMostHeaderBytes)
    refuse_npy(name, fmt::format("its header has {} bytes; at most {} are supported", length, kMostHeaderBytes));
  header.data_offset = before + length;
  require(name, size, header.data_offset, "header");
  read_dict(header, read(before, length), name);

  std::int64_t const available = size - header.data_offset;
  if (available < header.bytes) {
    throw error(error_kind::file, fmt::format("{} is truncated: its header promises {} bytes of data, and {} follow", name,
                                              header.bytes, available));
  }
  return header;
}

}  // namespace

npy_header read_npy_header(input_file const& file) {
  return read_header(file.path().string(), file.size(), [&](std::int64_t offset, std::int64_t count) {
    std::string bytes(std::size_t(count), '\0');
    file.read(offset, bytes.data(), count);
    return bytes;
  });
}

npy_header read_npy_header(std::string_view bytes, std::string const& name, std::int64_t size) {
  return read_header(name, size, [&](std::int64_t offset, std::int64_t count) {
    if (offset + count > std::ssize(bytes)) refuse_npy(name, "its header is incomplete");
    return std::string(bytes.substr(std::size_t(offset), std::size_t(count)));
  });
}

std::string npy_preamble(npy_header const& header, std::span<std::int64_t const> shape) {
  auto const dict = dict_of(header, shape);
  auto const padded = [&](int major) {
    std::int64_t const before = kNpyMagic.size() + 2 + length_bytes(major), unpadded = before + dict.size() + 1;
    return (unpadded + kAlignment - 1) / kAlignment * kAlignment - before;
  };
  // Version 2.0 differs from 1.0 in the size of the length field only; 3.0 means that names are in UTF-8.
  int const major = header.major == 3 ? 3 : padded(1) <= 0xFFFF ? 1 : 2;
  return preamble_of(major, padded(major), dict);
}

std::optional<std::string> npy_preamble_in_place(npy_header const& header, std::span<std::int64_t const> shape) {
  auto const dict = dict_of(header, shape);
  std::int64_t const length = header.data_offset - std::int64_t(kNpyMagic.size()) - 2 - length_bytes(header.major);
  if (std::ssize(dict) + 1 > length) return std::nullopt;
  return preamble_of(header.major, length, dict);
}

std::string dtype_name(npy_header const& header) {
  std::string_view descr = header.descr;
  if (descr.starts_with('\'') || descr.starts_with('"')) descr = descr.substr(1, descr.size() - 2);
  if (header.major == 3) return std::string(descr);
  // Versions 1.0 and 2.0 use Latin-1.
  std::string text;
  for (unsigned char c : descr) {
    if (c < 0x80) {
      text += static_cast<char>(c);
    } else {
      text += static_cast<char>(0xC0 | c >> 6);
      text += static_cast<char>(0x80 | (c & 0x3F));
    }
  }
  return text;
}

}  // namespace cornerturn
