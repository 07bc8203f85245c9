"""HPTT's calls as docs/adopt.md shows them, in a program of C++11, the language of HPTT."""

import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).parents[2]
LIBRARIES = pathlib.Path(os.environ["CORNERTURN"]).parents[1] / "lib"
BEFORE = """
int main() {
  int const perm[] = {1, 0}, sizeA[] = {3, 4}, dim = 2, threads = 2;
  float A[12], B[12], alpha = 2, beta = 0;
  for (int i = 0; i < 12; ++i) A[i] = i;
"""
AFTER = """
  plan->print();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 4; ++j)
      if (B[j + 4 * i] != 2 * A[i + 3 * j]) return 1;
}
"""


def test_what_the_page_of_adoption_shows(tmp_path):
    [shown] = re.findall("```cpp\n(.*?)```", (ROOT / "docs/adopt.md").read_text(), re.DOTALL)
    include, calls = shown.split("\n", 1)
    source, program = tmp_path / "program.cpp", tmp_path / "program"
    source.write_text(include + BEFORE + calls + AFTER)
    subprocess.run([os.environ.get("CXX", "c++"), "-std=c++11", "-Wall", "-Wextra", "-Werror", source, "-o", program,
                    f"-I{ROOT / 'interfaces/hptt'}", f"-L{LIBRARIES}", "-lcornerturn_hptt", f"-Wl,-rpath,{LIBRARIES}"], check=True)
    done = subprocess.run([program], capture_output=True, text=True)
    assert done.returncode == 0 and "threads" in done.stdout, done
