"""A question for the readers of each chapter of the ladder, and the page that answers it by counting."""

import dataclasses
import html
import urllib.parse


@dataclasses.dataclass(frozen=True)
class Question:
    """An access of a chapter as lines of CUDA C++. Its last access costs what that of a rung does: the rung with the options of
    `cornerturn explain`, the memory, and whether it is a store."""
    text: str
    declarations: str
    accesses: str
    rung: tuple
    space: str
    store: bool
    block: str = "32"

    def fields(self):
        """The state of the page, as in its address."""
        return {"declarations": self.declarations, "accesses": self.accesses, "block": self.block, "question": self.text}

    def address(self):
        return f"explain/try.html#{urllib.parse.urlencode(self.fields())}"


QUESTIONS = {
    "layouts": Question("Each lane stores one float, and their addresses are 32768 bytes apart. How many sectors does the request touch?",
                        "float* out;", "out[threadIdx.x * 8192] = 1;", ("naive-read",), "global", True),
    "ceiling": Question("Each lane copies 16 bytes. How many sectors does the load of a warp touch, and how many would do?",
                        "float4 const* in;", "in[threadIdx.x];", ("copy",), "global", False),
    "naive": Question("The writes of this transpose coalesce. How many sectors does a load touch, and which part of each is used?",
                      "float const* in;\nfloat* out;\nint n = 8192;", "out[threadIdx.y * n + threadIdx.x] = in[threadIdx.x * n + threadIdx.y];",
                      ("naive-write",), "global", False, "32, 8"),
    "shared-memory": Question("A warp reads a column of the tile. Which lanes conflict, and in which bank?",
                              "__shared__ float tile[64][64];", "tile[threadIdx.x][threadIdx.y];", ("smem-conflict-read",), "shared", False,
                              "32, 8"),
    "vectors": Question("Each lane stores 16 bytes along a row. How many wavefronts does the request take, and is that a conflict?",
                        "__shared__ float tile[64][64];\nfloat4 held;",
                        "*(float4*)&tile[threadIdx.x / 16][threadIdx.x % 16 * 4] = held;", ("vec-conflict-read",), "shared", True),
    "tma": Question("The tile is stored as TMA wants it, without a swizzle. Which lanes conflict?",
                    "__shared__ float tile[64][64];", "tile[threadIdx.x][threadIdx.y] = 1;", ("tma-conflict",), "shared", True, "32, 8"),
    "registers": Question("Lane t stores 16 bytes to row t / 4 * 4, column t % 4 * 4. How many sectors are written, and is a part of one left out?",
                          "float* out;\nfloat4 held;\nint n = 8192;", "*(float4*)&out[threadIdx.x / 4 * 4 * n + threadIdx.x % 4 * 4] = held;",
                          ("register",), "global", True),
    "questions": Question("Rows are 4097 floats apart. How many sectors does a load of 32 neighbours touch on average?",
                          "float const* in;", "for (int row = 0; row < 8; ++row)\n  in[row * 4097 + threadIdx.x];",
                          ("naive-read", "--pitch", "4097"), "global", False),
    "in-place": Question("Elements that follow a cycle are far apart. How many sectors does each of 32 floats need?",
                         "float* a;", "a[threadIdx.x * 8192 % 33554431] = 1;", ("naive-read",), "global", True),
    "results": Question("Elements of one byte: how many sectors does the store of a naive transpose touch, and how many would do?",
                        "unsigned char* out;", "out[threadIdx.x * 8192] = 1;", ("naive-read", "--type", "u8"), "global", True),
}


def section(chapter):
    """The end of a chapter's page; empty for a chapter without a question."""
    asked = QUESTIONS.get(chapter)
    if not asked:
        return ""
    return (f"## A question\n\n{asked.text}\n\n"
            f"<a class=\"open\" href=\"../{html.escape(asked.address())}\">Answer it, then let the page count</a>\n")
