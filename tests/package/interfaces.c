#include <cornerturn_blas.h>
#include <hptt.h>

int main(void) {
  float a[6] = {0, 1, 2, 3, 4, 5}, b[6], c[6], d[6] = {0, 1, 2, 3, 4, 5};
  int const perm[] = {1, 0}, size[] = {2, 3};
  cblas_somatcopy(CblasRowMajor, CblasTrans, 2, 3, 1, a, 3, b, 2);
  sTensorTranspose(perm, 2, 1, a, size, 0, 0, c, 0, 1, 1);
  mkl_simatcopy('R', 'T', 2, 3, 1, d, 3, 2);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      if (b[2 * j + i] != a[3 * i + j] || c[2 * j + i] != a[3 * i + j] || d[2 * j + i] != a[3 * i + j]) return 1;
  return 0;
}
