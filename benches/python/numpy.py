# A system of 500 equations: how long the solution takes, and how wrong it is.
import time

import numpy

random = numpy.random.default_rng(1)
matrix, solution = random.random((500, 500)), random.random(500)
right = matrix @ solution
times = []
for _ in range(5):
    started = time.perf_counter()
    found = numpy.linalg.solve(matrix, right)
    times.append(time.perf_counter() - started)
print(abs(found - solution).max(), min(times))
