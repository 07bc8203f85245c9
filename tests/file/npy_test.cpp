#include "file/npy.hpp"

#include <gtest/gtest.h>

#include <random>

#include "cornerturn/error.hpp"
#include "support/message.hpp"
#include "support/scratch.hpp"
#include "support/seeds.hpp"

namespace cornerturn {
namespace {

/// A file of the given version whose header is `dict`, with `data` bytes after it.
std::string npy(std::string const& dict, std::size_t data, int major = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(major);
  bytes += '\0';
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i) bytes += static_cast<char>(dict.size() >> (8 * i));
  return bytes + dict + std::string(data, 'x');
}

std::string dict(std::string const& descr, std::string const& shape, std::string const& fortran = "False") {
  return "{'descr': " + descr + ", 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n";
}

class npy_file : public testing::Test {
 protected:
  npy_header read(std::string const& bytes) const {
    folder.put("a.npy", bytes);
    return read_npy_header(input_file(folder / "a.npy"));
  }

  /// The message that reading throws, with "F" for the file's path; empty where it does not throw.
  std::string message_of(std::string const& bytes) const {
    auto const path = (folder / "a.npy").string();
    auto text = test::message_of([&] { read(bytes); }, error_kind::file);
    if (text.empty()) return text;
    EXPECT_EQ(text.find(path), 0u) << text;
    return text.replace(0, path.size(), "F");
  }

  test::scratch folder;
};

TEST_F(npy_file, is_read_in_every_version) {
  for (int major : {1, 2, 3}) {
    npy_header const header = read(npy(dict("'<f4'", "(2, 3)", "True"), 24, major));
    EXPECT_EQ(header.major, major);
    EXPECT_EQ(header.descr, "'<f4'");
    EXPECT_EQ(dtype_name(header), "<f4");
    EXPECT_EQ(header.element_size, 4);
    EXPECT_EQ(header.order, storage_order::fortran);
    EXPECT_EQ(header.shape, (std::vector<std::int64_t>{2, 3}));
    EXPECT_EQ(header.bytes, 24);
    EXPECT_EQ(header.data_offset, std::ssize(npy(dict("'<f4'", "(2, 3)", "True"), 0, major)));
  }
}

TEST_F(npy_file, names_its_dtype_in_utf_8) {
  EXPECT_EQ(dtype_name(read(npy(dict("[('gr\xf6\xdf"
                                     "e', '<f4')]",
                                     "(1,)"),
                                4))),
            "[('größe', '<f4')]");
  EXPECT_EQ(dtype_name(read(npy(dict("[('größe', '<f4')]", "(1,)"), 4, 3))), "[('größe', '<f4')]");
}

TEST_F(npy_file, may_be_written_by_hand) {
  auto const by_hand =
      "{u'descr': u'<f8', 'shape': (3L,), 'descr': 'float32', 'fortran_order': False} # of which the last descr counts\n";
  auto const header = read(npy(by_hand, 12));
  EXPECT_EQ(header.descr, "'float32'");
  EXPECT_EQ(header.type, element_type::f32);
  EXPECT_EQ(header.bytes, 12);
  EXPECT_EQ(read(npy(dict("u'<f8'", "(3,)"), 24)).descr, "'<f8'");
  EXPECT_EQ(read(npy(dict("'i4,f4'", "(3,)"), 24)).bytes, 24);
  EXPECT_EQ(message_of(npy(dict("'<f4'", "(3L,)"), 12, 2)), "");
  EXPECT_EQ(message_of(npy(dict("'<f4'", "(3L,)"), 12, 3)), "F: malformed header: expected ',' or ')' at byte 52");
  EXPECT_EQ(message_of(npy(dict("[('a', '<f4'), ('a', '<f4')]", "(3,)"), 24)),
            "F: malformed header: two fields of a dtype have the name 'a'");
}

TEST_F(npy_file, may_hold_nothing_or_one_element) {
  EXPECT_EQ(read(npy(dict("'<f8'", "()"), 8)).bytes, 8);
  EXPECT_EQ(read(npy(dict("'<f8'", "(0, 9223372036854775807, 9223372036854775807)"), 0)).bytes, 0);
  EXPECT_EQ(read(npy(dict("'|S0'", "(5,)"), 0)).bytes, 0);
  EXPECT_EQ(read(npy(dict("'<f4'", "(3,)"), 100)).bytes, 12) << "what follows the data is not looked at";
}

TEST_F(npy_file, is_refused_for_what_is_wrong_with_it) {
  EXPECT_EQ(message_of(""),
            "F: not a .npy file: it does not begin with \\x93NUMPY; a raw file needs --raw, --shape, --type and, if "
            "the array has bytes before it, --offset");
  EXPECT_EQ(message_of("PK\x03\x04 a zip file"),
            "F: not a .npy file: it does not begin with \\x93NUMPY; a raw file needs --raw, --shape, --type and, if "
            "the array has bytes before it, --offset");
  EXPECT_EQ(message_of("\x93NUMPY"), "F is truncated: it has 6 bytes and its version ends at byte 8");
  EXPECT_EQ(message_of(npy("", 0).substr(0, 9)), "F is truncated: it has 9 bytes and its header's length ends at byte 10");
  EXPECT_EQ(message_of(npy(dict("'<f4'", "(3,)"), 0).substr(0, 40)),
            "F is truncated: it has 40 bytes and its header ends at byte 68");
  EXPECT_EQ(message_of(npy(dict("'<f4'", "(3,)"), 11)), "F is truncated: its header promises 12 bytes of data, and 11 follow");
  EXPECT_EQ(message_of(npy(dict("'<f4'", "(3,)"), 12, 4)),
            "F: version 4.0 of the .npy format is not supported; 1.0, 2.0 and 3.0 are");
  EXPECT_EQ(message_of(npy("[1]", 12)), "F: malformed header: it is not a dict");
  EXPECT_EQ(message_of(npy("{'descr': '<f4', 'shape': (3,)}", 12)), "F: malformed header: 'fortran_order' is missing");
  EXPECT_EQ(message_of(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), 'x': 1}", 12)),
            "F: malformed header: it has other keys than 'descr', 'fortran_order' and 'shape'");
  EXPECT_EQ(message_of(npy(dict("'<f4'", "(3,)", "0"), 12)), "F: malformed header: 'fortran_order' is neither True nor False");
  EXPECT_EQ(message_of(npy(dict("'|O'", "(3,)"), 99)), "F: dtype '|O' holds Python objects, which have no fixed size");
  std::string const bad_shape = "F: malformed header: the shape is not a tuple of numbers of 0 or more";
  EXPECT_EQ(message_of(npy(dict("'<f4'", "(3)"), 12)), bad_shape);
  EXPECT_EQ(message_of(npy(dict("'<f4'", "[3]"), 12)), bad_shape);
  EXPECT_EQ(message_of(npy(dict("'<f4'", "(-3,)"), 12)), bad_shape);
  EXPECT_EQ(message_of(npy(dict("'<f4'", "(True,)"), 12)), bad_shape);
  EXPECT_EQ(message_of(npy(dict("'<f4'", "(4294967296, 2147483648)"), 12)),
            "F: malformed header: the size of 4294967296 x 2147483648 elements of 4 bytes exceeds 64 bits");
  std::string ones = "(";
  for (int i = 0; i < 64; ++i) ones += "1,";
  EXPECT_EQ(message_of(npy(dict("'<f4'", ones + ")"), 4)), "");
  for (auto const rest : {"1)", "1,)", "1, and what is not parsed"})
    EXPECT_EQ(message_of(npy(dict("'<f4'", ones + rest), 4)),
              "F: its header has a tuple of more than 64 items; at most 64 axes are supported");
}

TEST_F(npy_file, has_a_header_of_limited_length) {
  constexpr std::size_t kMost = 1 << 20;
  auto padded = dict("'<f4'", "(3,)");
  padded.insert(padded.size() - 1, kMost - padded.size(), ' ');
  EXPECT_EQ(read(npy(padded, 12, 2)).bytes, 12);
  EXPECT_EQ(message_of(npy(padded + ' ', 12, 2)), "F: its header has 1048577 bytes; at most 1048576 are supported");
  EXPECT_EQ(message_of("\x93NUMPY\x02" + std::string("\0\xff\xff\xff\xff", 5)),
            "F: its header has 4294967295 bytes; at most 1048576 are supported");
}

TEST_F(npy_file, is_written_as_it_is_read) {
  std::string fields = "[";
  for (int i = 0; i < 4000; ++i) fields += "('field " + std::to_string(i) + "', '|u1'), ";
  for (int major : {1, 2, 3}) {
    for (std::string const& descr : {std::string("'<f4'"), std::string("[('it\\'s', '>i2', (3,)), ('', '|V2')]"), fields + "]"}) {
      if (major == 1 && descr.size() > 60000) continue;
      npy_header const header = read(npy(dict(descr, "(2, 3, 5)", "True"), 200000, major));
      for (std::vector<std::int64_t> const& shape : {std::vector<std::int64_t>{5, 3, 2}, {30}, {}}) {
        std::string const preamble = npy_preamble(header, shape);
        EXPECT_EQ(preamble.size() % 64, 0u);
        EXPECT_EQ(preamble.back(), '\n');
        npy_header const again = read(preamble + std::string(200000, 'x'));
        EXPECT_EQ(again.descr, header.descr);
        EXPECT_EQ(again.shape, shape);
        EXPECT_EQ(again.order, storage_order::c);
        EXPECT_EQ(again.data_offset, std::ssize(preamble));
        EXPECT_EQ(again.major, major == 3 ? 3 : descr.size() > 60000 ? 2 : 1);
      }
    }
  }
}

TEST_F(npy_file, with_random_damage_is_refused_or_sound) {
  std::string const starts[] = {
      npy(dict("'<f4'", "(2, 3)"), 24),
      npy(dict("[('a', '<i4'), ('b', [('c', '|S3', (2,))], 4)]", "(1, 2)", "True"), 56, 2),
      npy(dict("'<M8[ns]'", "(2,)"), 16, 3),
  };
  std::string const pool = "0123456789()[]{}',:|<>OSVUTrueFalse\\\"\n \xff\x93";
  test::for_each_seed(3000, [&](unsigned seed) {
    std::mt19937 generator(seed);
    auto below = [&](std::size_t bound) { return std::uniform_int_distribution<std::size_t>(0, bound - 1)(generator); };
    std::string bytes = starts[below(std::size(starts))];
    for (std::size_t edits = 1 + below(4); edits > 0 && !bytes.empty(); --edits) {
      std::size_t const at = below(bytes.size());
      switch (below(4)) {
        case 0:
          bytes[at] = pool[below(pool.size())];
          break;
        case 1:
          bytes.erase(at, 1 + below(4));
          break;
        case 2:
          bytes.insert(at, 1 + below(3), pool[below(pool.size())]);
          break;
        default:
          bytes[at] = static_cast<char>(below(256));
          break;
      }
    }
    folder.put("a.npy", bytes);
    try {
      npy_header const header = read_npy_header(input_file(folder / "a.npy"));
      EXPECT_LE(header.data_offset + header.bytes, std::ssize(bytes)) << testing::PrintToString(bytes);
      EXPECT_GE(header.bytes, 0) << testing::PrintToString(bytes);
    } catch (error const& e) {
      EXPECT_EQ(e.kind(), error_kind::file) << testing::PrintToString(bytes);
    }
  });
}

}  // namespace
}  // namespace cornerturn
