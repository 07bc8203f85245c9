#include "cornerturn/code.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace cornerturn {
namespace {

/// The cost of each instruction: wavefronts of shared memory, sectors of global memory.
std::vector<std::int64_t> costs(std::string const& code) {
  std::vector<std::int64_t> result;
  for (auto const& each : explain_code(code).instructions)
    result.push_back(each.space == memory_space::shared ? each.wavefronts : each.sectors);
  return result;
}

std::string refused(std::string const& code) {
  try {
    explain_code(code);
  } catch (code_error const& e) {
    return e.what();
  }
  return "";
}

using list = std::vector<std::int64_t>;

/// The active lanes of the first instruction.
std::int64_t lanes(std::string const& code) { return explain_code(code).instructions.at(0).active_lanes; }

TEST(code, an_array_is_as_cpp_has_it) {
  EXPECT_EQ(costs("float tile[32][32]; tile[threadIdx.x][0]"), list{32});
  EXPECT_EQ(costs("__shared__ float tile[32][33]; tile[threadIdx.x][0] = 1;"), list{1});
  EXPECT_EQ(costs("dim3(16, 16)\nfloat tile[16][16]\ntile[threadIdx.x][threadIdx.y]"), list{8 * 8});
  EXPECT_EQ(costs("__shared__ half s[64][72]; *(uint4*)&s[lane][0]"), list{4});
  EXPECT_EQ(costs("__shared__ half s[64][64]; reinterpret_cast<uint4*>(s)[lane * 8]"), list{32});
  EXPECT_EQ(costs("__shared__ double d[32]; d[threadIdx.x]"), list{2});
  EXPECT_EQ(costs("__device__ float t[32][32]; t[threadIdx.x][3]"), list{32});
  EXPECT_EQ(costs("extern __shared__ float s[]; s[32 * threadIdx.x]"), list{32});
}

TEST(code, variables_loops_and_operators) {
  EXPECT_EQ(costs("__shared__ half s[64][64]; int row = threadIdx.x / 8, col = threadIdx.x % 8 * 8;\n"
                  "*(uint4*)&s[row][col ^ (row & 7) * 8]"),
            list{4});
  EXPECT_EQ(costs("__shared__ float s[64][32];\n#pragma unroll\nfor (int k = 0; k < 32; k += 8) { s[threadIdx.x][k]; }"),
            list{4 * 32});
  EXPECT_EQ(costs("float s[64]; s[lane < 16 ? lane : lane + 32]"), list{1});
  EXPECT_EQ(costs("float s[64]; if (lane >= 16) return;\n s[lane * 2]"), list{1});
  EXPECT_EQ(costs("float s[1 << 10]; unsigned i = lane; i <<= 5; s[i]"), list{32});
  EXPECT_EQ(costs("#define T 32\nusing real = float;\n__shared__ real s[T][T + 1]; s[lane][!0 && T == 32]"), list{1});
  EXPECT_EQ(costs("float s[256]; float sum = 0.f; for (int i = lane; i < 256; i += 32) sum += s[i];"), list{8});
}

TEST(code, a_loop_may_end_with_its_condition) {
  EXPECT_EQ(costs("float s[64]; int i = lane; do { s[i]; i += 32; } while (i < 64);"), list{2});
  EXPECT_EQ(costs("float s[64]; do s[lane]; while (false);"), list{1});
}

TEST(code, masks_of_all_lanes_are_integers) {
  EXPECT_EQ(costs("float s[32]; float v = __shfl_xor_sync(0xffffffff, s[lane], 1);"), list{1});
  EXPECT_EQ(costs("float s[64]; s[(lane + 1) * 0xffffffff % 64]"), list{1});
  EXPECT_EQ(costs("float s[64]; if (-1 < 0xffffffff || -1 > 4294967295) s[0]; s[lane]"), list{1});
  EXPECT_NE(refused("float s[32]; s[281474976710657]").find("integers go up to 281474976710656"), std::string::npos);
}

TEST(code, the_shape_of_a_grid_is_left_out) {
  for (auto const* const shapes : {"dim3 grid(2, 2), block(32, 8);", "dim3 dimBlock(32, 8); dim3 dimGrid(64);",
                                   "dim3 numBlocks(4, 4);\ndim3 threadsPerBlock(32, 8);"})
    EXPECT_EQ(explain_code(std::string(shapes) + " float s[32]; s[threadIdx.x]").block, "32 x 8") << shapes;
}

TEST(code, members_of_structures_have_the_places_of_cpp) {
  EXPECT_EQ(costs("struct P { float x, y, z; }; P* p; p[threadIdx.x].y = p[threadIdx.x].x"), (list{12, 12}));
  EXPECT_EQ(costs("struct alignas(16) P { float x, y, z; };\nstruct P const* p; p[threadIdx.x].x"), list{16});
  auto const address = [](std::string const& code) {
    return explain_code(code).instructions.at(0).samples.at(0).lanes.at(1).address;
  };
  std::string const structure = "struct S { char a; double b; float c[3]; float2 d; };\nS* p;\n";  // 40 bytes
  EXPECT_EQ(address(structure + "p[lane].b"), 40 + 8);
  EXPECT_EQ(address(structure + "p[lane].c[2]"), 40 + 24);
  EXPECT_EQ(address(structure + "(p + lane)->d.y"), 40 + 36);
  EXPECT_EQ(address("struct A { float x; }; struct B { char c; A a; }; B* p; p[lane].a.x"), 8 + 4);
  EXPECT_EQ(costs("struct P { float x, y; }; __shared__ P s[64]; s[lane].x"), list{2});
  EXPECT_EQ(costs("float2* p; p += lane; p->y"), list{8});
  EXPECT_EQ(costs("struct P { float x[4]; }; float s[64]; s[lane * sizeof(P) / 8]"), list{2});
  EXPECT_NE(refused("struct P { float x, y; }; P* p; P v = p[lane];").find("a structure is moved by several accesses"),
            std::string::npos);
  EXPECT_NE(refused("struct P { float x; }; P* p; p[lane].w").find("an unknown member, 'w'"), std::string::npos);
  EXPECT_NE(refused("struct P { float* x; };").find("pointers and functions are not read"), std::string::npos);
  EXPECT_NE(refused("struct P { float x[1 << 20]; };").find("']' is expected"), std::string::npos);
  EXPECT_NE(refused("struct P { float x[1000000000]; };").find("at most 65536 bytes"), std::string::npos);
  EXPECT_NE(refused("struct P { };").find("a structure without members"), std::string::npos);
}

TEST(code, an_address_that_a_function_gets_is_refused) {
  EXPECT_EQ(refused("__shared__ half s[64]; wmma::load_matrix_sync(a, &s[0], 64)"),
            "code '__shared__ half s[64]; wmma::load_matrix_sync(a, &s[0], 64)' is wrong at character 24, 'w': the accesses of "
            "load_matrix_sync are not known; write them in its place, e.g. s[threadIdx.x]");
  EXPECT_NE(refused("float s[64]; copy.run(s);").find("the accesses of run are not known"), std::string::npos);
  EXPECT_EQ(costs("__shared__ unsigned long long bar; __shared__ float s[32]; mbarrier_init(&bar, 1); s[lane]"), list{1});
}

TEST(code, integers_are_those_of_their_types) {
  EXPECT_EQ(costs("float s[64]; bool b = lane & 4; s[b * 8]"), list{1});
  EXPECT_EQ(costs("float s[64]; s[(bool)(lane & 4) * 8]"), list{1});
  EXPECT_EQ(costs("float s[256]; unsigned char i = lane + 250; s[i]; s[(unsigned char)(lane + 250)]"), (list{1, 1}));
  EXPECT_EQ(costs("float s[256]; unsigned char i; i = 32 * lane; s[i]; i += 7; s[++i % 256]"), (list{8, 8}));
  EXPECT_EQ(costs("float s[64]; short h = 65535; s[h + 1 + lane]"), list{1});
  EXPECT_EQ(costs("float s[32]; s[(threadIdx.x - 1) % 32]; s[-threadIdx.x & 31]; s[~threadIdx.x % 32u]"), (list{1, 1, 1}));
  EXPECT_EQ(lanes("float s[32]; if (threadIdx.x - 1 < 5) s[threadIdx.x]"), 5);
  EXPECT_EQ(lanes("float s[32]; if (lane - 1 < 5) s[lane]"), 6);
  EXPECT_EQ(lanes("float s[32]; if (lane - 1 < 5u) s[lane]"), 5);
  EXPECT_EQ(lanes("float s[32]; unsigned short int i = 1; if (lane - i < 5) s[lane]"), 6);
  EXPECT_EQ(lanes("float s[32]; if (min(threadIdx.x, 4) - 1u < 9) s[lane]"), 31);
  EXPECT_EQ(lanes("float s[32]; int i = threadIdx.x - 1; if (i >= 0) s[i]"), 31);
  EXPECT_EQ(costs("float* in; long long n = 1 << 20; in[lane * n * 4096]"), list{32});
  EXPECT_EQ(costs("float s[256]; s[lane * 010]"), list{8});
  EXPECT_NE(refused("float s[9]; s[08]").find("character 15, '0': an integer that begins with 0 has digits from 0 to 7"),
            std::string::npos);
  EXPECT_NE(refused("float* in; in[lane * 1000000000]").find("3 * 1000000000 is out of range; values go from -2147483647 to"),
            std::string::npos);
  EXPECT_NE(refused("float s[9]; size_t n = 0; s[n - 1 > 4]").find("-1 is less than 0, although it is unsigned"),
            std::string::npos);
  EXPECT_NE(refused("float s[9]; float x; x = 1; s[(int)(x * 3 / 2)]").find("depends on"), std::string::npos);
}

TEST(code, pointers_lead_to_rows_and_members) {
  auto const second = [](std::string const& code) { return explain_code(code).instructions.at(0).samples[0].lanes[1].address; };
  EXPECT_EQ(second("float t[32][32]; (*t)[lane]"), 4);
  EXPECT_EQ(second("float t[32][32]; **(t + lane)"), 128);
  EXPECT_EQ(second("float t[32][32]; (*(t + lane))[3]"), 128 + 12);
  EXPECT_EQ(second("float t[32][32]; *(*(t + lane) + lane)"), 128 + 4);
  EXPECT_EQ(second("float t[8][32][4]; *(*(*(t + 1) + lane) + 3)"), 512 + 16 + 12);
  EXPECT_EQ(second("float4* in; (in + lane)->y"), 16 + 4);
  EXPECT_EQ(second("float4 s[32]; float4* p = s + lane; p->w = 0"), 16 + 12);
  EXPECT_EQ(refused("float s[32]; float& r = s[lane]; r = 1;"),
            "code 'float s[32]; float& r = s[lane]; r = 1;' is wrong at character 21, 'r': a reference to memory is not read; "
            "write what 'r' refers to in its place");
  EXPECT_EQ(costs("float s[32][32]; float const& r = s[lane][0]; auto& t = s; t[0][lane] = r"), (list{32, 1}));
}

TEST(code, a_variable_lasts_as_long_as_its_block) {
  EXPECT_EQ(costs("float s[1024]; int x = 1; { int x = 32; } s[lane * x]"), list{1});
  EXPECT_EQ(costs("float s[1024]; int x = 1; for (int k = 0; k < 9; ++k) { int x = 32; } s[lane * x]"), list{1});
  EXPECT_EQ(costs("float s[1024]; int x = 1; if (true) int x = 32; s[lane * x]"), list{1});
}

TEST(code, a_kernel_is_read_whole) {
  std::string const kernel = R"(constexpr int kTile = 32;
int n = 4096;
dim3 block(32, 8);
__global__ void __launch_bounds__(256) transpose(float* __restrict__ out, float const* in, int n) {
  __shared__ float tile[kTile][kTile];
  int const x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += 8)
    if (x < n && y + j < n) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  for (int j = 0; j < kTile; j += 8) out[(x + j) * n + y] = tile[threadIdx.x][threadIdx.y + j];
})";
  auto const each = explain_code(kernel);
  ASSERT_EQ(each.instructions.size(), 4u);
  EXPECT_EQ(each.block, "32 x 8");
  EXPECT_EQ(each.instructions[0].wavefronts + each.instructions[1].wavefronts, 32);
  EXPECT_EQ(each.instructions[0].sectors + each.instructions[1].sectors, 4 * 32);
  EXPECT_EQ(each.instructions[3].wavefronts + each.instructions[2].wavefronts, 32 * 32);
  EXPECT_EQ(each.instructions[0].line, 8);
  EXPECT_NE(report_of(each).find("tile[threadIdx.x][threadIdx.y + j]"), std::string::npos);
}

TEST(code, vectors_matrices_and_asynchronous_copies) {
  EXPECT_EQ(costs("__shared__ half s[64][64]; ldmatrix_x4(r, &s[lane % 16][lane / 16 * 8])"), list{32});
  EXPECT_EQ(costs("__shared__ half s[64][72]; stmatrix_x4(&s[lane % 16][lane / 16 * 8], r)"), list{4});
  EXPECT_EQ(explain_code("__shared__ half s[64][72]; ldmatrix_x1(r, &s[lane % 8][0])").instructions[0].active_lanes, 8);
  auto const copied = explain_code("float4 const* in; __shared__ float4 s[32]; cp_async(&s[lane], &in[lane], 16);");
  ASSERT_EQ(copied.instructions.size(), 2u);
  EXPECT_TRUE(copied.instructions[0].async && copied.instructions[1].async);
  EXPECT_EQ(copied.instructions[0].sectors, 16);
  EXPECT_EQ(copied.instructions[1].wavefronts, 4);
  EXPECT_EQ(costs("float4* in; in[lane].y"), list{16});
  EXPECT_EQ(costs("float* in; float4* v = reinterpret_cast<float4*>(in) + 8; v[lane] = x;"), list{16});
}

TEST(code, memory_is_aligned_as_its_pointer_says) {
  EXPECT_EQ(costs("float* in; in[lane]"), list{4});
  EXPECT_EQ(costs("alignas(4) float* in; in[lane]"), list{5});
  EXPECT_EQ(costs("__align__(32) float* in; in[lane]"), list{4});
  EXPECT_EQ(costs("alignas(16) float4 const* in; in[lane]"), list{17});
  EXPECT_EQ(costs("alignas(256) float* in; in[lane]"), list{4});
  EXPECT_EQ(costs("alignas(16) alignas(4) float* in; in[lane]"), costs("alignas(16) float* in; in[lane]"));
  EXPECT_EQ(costs("alignas(float) __shared__ float s[32]; s[lane]"), list{1});
  EXPECT_EQ(costs("__global__ void copy(float const* in, alignas(8) float* out) { out[threadIdx.x] = in[threadIdx.x]; }"),
            (list{4, 5}));
  EXPECT_EQ(costs("alignas(4) float* in; float* p = in + 7; p[lane]"), list{4});
  EXPECT_EQ(explain_code("alignas(4) float* in; in[lane]").instructions[0].samples[0].lanes[0].address, 4);
  EXPECT_EQ(explain_code("alignas(8) float* in; *(float4*)&in[4 * lane]").findings.at(0).kind, "misaligned-vector");
  EXPECT_EQ(costs("__shared__ alignas(16) float s[32]; s[lane]"), list{1});
  EXPECT_EQ(refused("alignas(sizeof(float)) float* in; in[lane]"),
            "code 'alignas(sizeof(float)) float* in; in[lane]' is wrong at character 31, 'i': an alignment that is no number; "
            "write its "
            "bytes, e.g. alignas(16)");
  EXPECT_EQ(
      refused("alignas(2) float* in; in[lane]"),
      "code 'alignas(2) float* in; in[lane]' is wrong at character 19, 'i': an alignment of 2; it must be a power of two from "
      "4 to 256");
  EXPECT_NE(refused("alignas(12) float* in; in[lane]").find("an alignment of 12"), std::string::npos);
  EXPECT_NE(refused("alignas(512) float* in; in[lane]").find("an alignment of 512"), std::string::npos);
}

TEST(code, elements_of_4_bits_share_bytes) {
  auto const each = explain_code("__nv_fp4_e2m1* in; in[lane]").instructions[0];
  EXPECT_EQ(each.bytes, 1);
  EXPECT_EQ(each.bytes_needed, 16);
  EXPECT_EQ(costs("__shared__ int4b_t s[8][256]; *(uint4*)&s[lane / 8][lane % 8 * 32]"), list{4});
}

TEST(code, a_tensor_has_a_layout_of_cute) {
  EXPECT_EQ(costs("__shared__ half s : Swizzle<3,3,3> o (64,64):(64,1);\nldmatrix_x4(&s(lane % 16, lane / 16 * 8))"), list{4});
  EXPECT_EQ(costs("__shared__ half s : (64,64):(64,1);\nldmatrix_x4(&s(lane % 16, lane / 16 * 8))"), list{32});
}

TEST(code, a_tile_has_a_layout_of_triton) {
  std::string const access = ";\nldmatrix_x4(&s(lane % 16, lane / 16 * 8))";
  EXPECT_EQ(costs("__shared__ half s : [64, 64], SwizzledSharedLayout(8, 1, 8, [1, 0])" + access), list{4});
  EXPECT_EQ(costs("__shared__ half s : [64, 64], gl.NVMMASharedLayout(swizzle_byte_width=128, element_bitwidth=16)" + access),
            list{4});
  EXPECT_EQ(costs("__shared__ half s : [64, 64], PaddedSharedLayout([[64, 8]], [1, 0])" + access), list{4});
  EXPECT_EQ(costs("__shared__ half s : [64, 64], SwizzledSharedLayout(1, 1, 1, [1, 0])" + access), list{32});
  EXPECT_THROW(costs("__shared__ float s : [64, 64], NVMMASharedLayout(128, 16)" + access), error);
}

TEST(code, an_error_names_the_character) {
  EXPECT_EQ(refused("float s[32];\ns[lane"), "code 's[lane' is wrong at the end of line 2: ']' is expected");
  EXPECT_EQ(
      refused("s[lane]"),
      "code 's[lane]' is wrong at character 1, 's': an unknown array; declare it before, e.g. __shared__ float s[32][32] or "
      "float* s");
  EXPECT_EQ(
      refused("float s[32]; s[lane * n]"),
      "code 'float s[32]; s[lane * n]' is wrong at character 23, 'n': the value of 'n' is not known; define it before, e.g. "
      "int n = 1024");
  EXPECT_EQ(refused("float s[32]; s[lane + 1]"),
            "code 'float s[32]; s[lane + 1]' is wrong at character 16, 'l': index 32 is outside of the extent 32 of s, in thread "
            "(31, 0, 0)");
  EXPECT_EQ(refused("float s[32]; s[threadIdx.y]"),
            "code 'float s[32]; s[threadIdx.y]' is wrong at character 16, 't': the shape of a block is not given; write dim3 "
            "block(32, 8), say, before it");
  EXPECT_EQ(refused("float s[32]; s[s[lane]]"),
            "code 'float s[32]; s[s[lane]]' is wrong at character 16, 's': it depends on 's[lane]', whose value is not known; "
            "write an expression of threadIdx in its place");
  EXPECT_EQ(
      refused("float s[32]; float v = s[lane]; if (v > 0) s[lane] = 1;"),
      "code 'float s[32]; float v = s[lane]; if (v > 0) s[lane] = 1;' is wrong at character 37, 'v': it depends on 's[lane]', "
      "whose value is not known; write an expression of threadIdx in its place");
  EXPECT_EQ(refused("T s[32]"), "code 'T s[32]' is wrong at character 3, 's': an operator or ';' is expected");
  EXPECT_EQ(refused("float s[32]; while (1) s[lane];").substr(0, 60),
            "code 'float s[32]; while (1) s[lane];' is wrong at character");
  EXPECT_EQ(
      refused("int i = 1 / (lane - 3); float s[9]; s[i & 1]"),
      "code 'int i = 1 / (lane - 3); float s[9]; s[i & 1]' is wrong at character 9, '1': a division by 0, in thread (3, 0, 0)");
  EXPECT_NE(refused("dim3 grid(9); dim3 block(2048); float s[9]; s[0]").find("character 15, 'd': a block has 1 to 1024 threads"),
            std::string::npos);
  EXPECT_NE(refused(std::string(100, '(')).find("nest 64 deep at most"), std::string::npos);
  EXPECT_EQ(refused("int n = 4;\n"),
            "code '' is wrong at the end of line 2: no thread accesses memory, e.g. by tile[threadIdx.x]");
  EXPECT_EQ(
      refused("half s[64]; *(uint4)&s[0] = 0;"),
      "code 'half s[64]; *(uint4)&s[0] = 0;' is wrong at character 14, '(': an address is cast to a type that is no pointer; "
      "'*' is missing");
  EXPECT_NE(refused("struct P* p; p[lane].x").find("an unknown structure; declare it before"), std::string::npos);
  EXPECT_NE(refused("float s[32]; s[threadidx.x]").find("it is called threadIdx, and has the members x, y and z"),
            std::string::npos);
  EXPECT_NE(refused("float s[32]; s[threadIdx.X]").find("it is called threadIdx"), std::string::npos);
  EXPECT_NE(refused("switch (lane) { case 0: break; }").find("a switch is not read; write if and else"), std::string::npos);
  EXPECT_NE(refused("enum { N = 4 };").find("an enumeration is not read"), std::string::npos);
  EXPECT_NE(refused("__shared__ thrust::complex<float> s[32];").find("write a type of its size in its place, e.g. float2"),
            std::string::npos);
  EXPECT_NE(refused("float (*s)[33] = memory;").find("a pointer to an array is not read"), std::string::npos);
  for (auto const* const function :
       {"__device__ int f(int i) { return i; }", "int f() { return 1; }", "__device__ void f(float* s) { s[0] = 1; }"})
    EXPECT_NE(refused(function).find("a function that is no kernel is not read"), std::string::npos) << function;
  try {
    explain_code("int a;\n  s[lane]");
    FAIL();
  } catch (code_error const& e) {
    EXPECT_EQ(e.value().substr(std::size_t(e.column()) - 1, 1), "s");
    EXPECT_EQ(e.argument(), "code");
  }
}

TEST(code, a_suggestion_serves_all_accesses_to_an_array) {
  std::string const code =
      "__shared__ float tile[32][32]; dim3 block(32, 8);\n"
      "for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = 0;\n"
      "for (int j = 0; j < 32; j += 8) tile[threadIdx.x][threadIdx.y + j];";
  auto const found = suggest_code(code);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].array, "tile");
  EXPECT_EQ(found[0].given_wavefronts, 32 + 32 * 32);
  EXPECT_EQ(found[0].wavefronts, 64);
  EXPECT_EQ(found[0].layout, "Sw<5,0,5> o _0 o (32,32):(32,1)");
  EXPECT_EQ(found[0].cuda_code, "__shared__ float tile[32][32];  // element (i, j) is tile[i][j ^ i]");
  ASSERT_TRUE(found[0].padding);
  EXPECT_EQ(found[0].padding->cuda_code, "__shared__ float tile[32][33];  // element (i, j) is tile[i][j]");
  auto const after = explain_suggested_code(code, found);
  EXPECT_EQ(after.instructions[0].wavefronts + after.instructions[1].wavefronts, 64);
  EXPECT_TRUE(after.findings.empty());
  EXPECT_NE(picture_of(after).find("Tile of 32 rows and 32 columns"), std::string::npos);
}

/// The wavefronts of a code with its suggested layouts.
std::int64_t wavefronts_after(std::string const& code, std::vector<code_suggestion> const& found) {
  std::int64_t result = 0;
  for (auto const& each : explain_suggested_code(code, found).instructions) result += each.wavefronts;
  return result;
}

TEST(code, arrays_of_one_name_have_a_suggestion_each) {
  std::string const code =
      "{ __shared__ float t[64][16]; t[lane * 2][0]; }\n{ __shared__ float t[32][32]; t[lane][0]; t[0][lane]; }";
  auto const found = suggest_code(code);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(wavefronts_after(code, found), found[0].wavefronts + found[1].wavefronts);
  EXPECT_EQ(wavefronts_after(code, {found[1]}), found[0].given_wavefronts + found[1].wavefronts);
}

TEST(code, a_suggestion_counts_copies_and_matrices_as_a_report_does) {
  for (std::string const access : {
           "cp_async(&s[lane * 2 % 16][lane % 4 * 8], &in[lane % 16 * 16], 16); *(uint4*)&s[lane][0]",
           "cp_async(&s[lane][0], &in[lane * 8], 16); *(uint4*)&s[lane][0]",
           "cp_async(&s[lane][0], &in[lane * 8], 8); *(uint4*)&s[lane][0]",
           "cp_async(&s[lane / 4][lane % 4 * 8], &in[lane % 4 * 64], 16); *(uint4*)&s[lane % 4][lane % 5 * 8]",
           "ldmatrix_x4(&s[lane / 2][0])",
           "*(uint4*)&s[lane / 8][lane % 3 * 8]; ldmatrix_x4(&s[lane % 5][0]); stmatrix_x2(&s[lane][8])",
       }) {
    auto const code = "half const* in; __shared__ half s[32][64]; " + access;
    auto const found = suggest_code(code);
    ASSERT_EQ(found.size(), 1u) << code;
    EXPECT_EQ(found[0].wavefronts, wavefronts_after(code, found)) << code;
    EXPECT_GE(found[0].wavefronts, found[0].ideal_wavefronts) << code;
  }
}

TEST(code, copies_past_the_l1_cache_need_a_wavefront_for_each_line) {
  std::string const arrays = "float4 const* in; __shared__ float4 s[32][8]; ";
  auto const least = [&](std::string const& code) { return explain_code(arrays + code).instructions.at(1).ideal_wavefronts; };
  EXPECT_EQ(least("cp_async(&s[lane / 8][lane % 8], &in[lane], 16)"), 4);
  EXPECT_EQ(least("if (lane % 8 == 0) cp_async(&s[0][lane / 8], &in[lane / 8], 16)"), 1);
  EXPECT_EQ(least("cp_async(&s[lane / 8][lane % 8], &in[0], 16)"), 4);
  EXPECT_EQ(least("cp_async(&s[lane][0], &in[lane * 8], 16)"), 32);
  auto const spread = explain_code(arrays + "cp_async(&s[lane][0], &in[lane], 16)");
  ASSERT_EQ(spread.findings.size(), 1u);
  EXPECT_EQ(spread.findings[0].kind, "bank-conflict");
  EXPECT_NE(spread.findings[0].text.find("32 wavefronts instead of 4: cp.async takes one"), std::string::npos);
}

TEST(code, every_padding_of_up_to_eight_elements_is_tried) {
  auto const found = suggest_code("__shared__ double s[32][61]; s[lane / 2][lane]");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].layout, "(32,61):(64,1)");
  EXPECT_EQ(found[0].wavefronts, 2);
}

TEST(code, padding_that_is_there_is_left_out_of_a_suggestion) {
  auto const found = suggest_code("__shared__ float t[32][34]; t[lane][0]; t[0][lane]");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].elements, 1024);
  EXPECT_EQ(found[0].given_elements, 32 * 34);
  EXPECT_TRUE(suggest_code("__shared__ float t[32][33]; t[lane][0]").empty());
}

TEST(code, a_padding_keeps_the_widest_vector_of_an_array_aligned) {
  auto const each = explain_code(
      "__shared__ unsigned char t[128][128];\nfor (int k = 0; k < 128; k += 4) *(uint4*)&t[lane / 8 + k][lane % 8 * 16] = x;\n"
      "t[lane][0];");
  ASSERT_EQ(each.findings.size(), 1u);
  EXPECT_TRUE(each.findings[0].text.ends_with("pad the row by 16 bytes or swizzle")) << each.findings[0].text;
  auto const found = suggest_code(each.code);
  ASSERT_EQ(found.size(), 1u);
  ASSERT_TRUE(found[0].padding);
  EXPECT_EQ(found[0].padding->elements, 128 * 144);
}

TEST(code, a_row_longer_than_the_mode_of_tma_has_none) {
  std::string const code = "; *(uint4*)&s[lane / 8][lane % 8 * 8] = x; ldmatrix_x4(&s[lane % 16][lane / 16 * 8])";
  for (auto const& each : suggest_code("__shared__ half s[64][128]" + code)) EXPECT_TRUE(each.tma_swizzle == 0 && !each.tma);
  EXPECT_EQ(suggest_code("__shared__ half s[64][64]" + code).at(0).tma_swizzle, 128);
}

TEST(code, a_suggestion_keeps_the_mode_of_tma) {
  auto const found = suggest_code("__shared__ half s[64][64]; ldmatrix_x4(&s[lane % 16][lane / 16 * 8])");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].wavefronts, 4);
  EXPECT_TRUE(found[0].tma_swizzle == 128 || found[0].tma);
  auto const& code = found[0].tma ? found[0].tma->cuda_code : found[0].cuda_code;
  EXPECT_TRUE(code.ends_with("\n// TMA: CU_TENSOR_MAP_SWIZZLE_128B, rows of at most 128 bytes, alignas(1024)")) << code;
}

/// Pairs of 4-bit elements are moved like bytes.
TEST(code, elements_of_4_bits_have_suggestions) {
  std::string const of_4_bits =
      "__shared__ __nv_fp4_e2m1 s[64][256]; *(uint4*)&s[lane][0] = *(uint4*)&s[lane / 8][lane % 8 * 32];";
  std::string const of_bytes =
      "__shared__ unsigned char s[64][128]; *(uint4*)&s[lane][0] = *(uint4*)&s[lane / 8][lane % 8 * 16];";
  auto const found = suggest_code(of_4_bits), same = suggest_code(of_bytes);
  ASSERT_EQ(found.size(), 1u);
  ASSERT_EQ(same.size(), 1u);
  EXPECT_EQ(found[0].given_wavefronts, same[0].given_wavefronts);
  EXPECT_EQ(found[0].wavefronts, same[0].wavefronts);
  EXPECT_LT(found[0].wavefronts, found[0].given_wavefronts);
  EXPECT_EQ(found[0].elements, 2 * same[0].elements);
  EXPECT_EQ(same[0].layout, "Sw<3,4,3> o _0 o (64,128):(128,1)");
  EXPECT_EQ(found[0].layout, "Sw<3,5,3> o _0 o (64,256):(256,1)");
  EXPECT_EQ(found[0].tma_swizzle, 128);
  EXPECT_TRUE(found[0].cuda_code.starts_with(
      "__shared__ alignas(16) __nv_fp4_e2m1 s[64][256];  // element (i, j) is s[i][j ^ ((i & 7) << 5)]\n"))
      << found[0].cuda_code;
  ASSERT_TRUE(found[0].padding);
  // the suggested padding and swizzle, written as code, cost what is told
  auto const cost = [](std::string const& code) {
    std::int64_t sum = 0;
    for (auto const& each : explain_code(code).instructions) sum += each.wavefronts;
    return sum;
  };
  EXPECT_EQ(cost("__shared__ __nv_fp4_e2m1 s[64][256]; *(uint4*)&s[lane][(lane & 7) << 5] = *(uint4*)&s[lane / 8][lane % 8 * 32 "
                 "^ (lane / 8 & 7) << 5];"),
            found[0].wavefronts);
  EXPECT_EQ(cost("__shared__ __nv_fp4_e2m1 s[64][288]; *(uint4*)&s[lane][0] = *(uint4*)&s[lane / 8][lane % 8 * 32];"),
            found[0].padding->wavefronts);
  auto const after = explain_suggested_code(of_4_bits, found);
  EXPECT_EQ(after.instructions[0].wavefronts + after.instructions[1].wavefronts, found[0].wavefronts);
  EXPECT_TRUE(suggest_code("__shared__ __nv_fp4_e2m1 s[64][255]; *(uint4*)&s[lane][0]").empty());  // rows of whole bytes only
}

}  // namespace
}  // namespace cornerturn
