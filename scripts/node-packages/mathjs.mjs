import {
  create,
  all,
  evaluate,
  matrix,
  multiply,
  inv,
  det,
  parse,
  derivative,
  simplify,
  unit,
  complex,
  bignumber,
  format,
  chain,
  fraction,
  std,
  sqrt,
  lusolve,
} from 'mathjs';
console.log(
  evaluate('sqrt(3^2 + 4^2) + max(1, 2) * -1e2 % 7'),
  evaluate('a = 5; f(x) = x^2 + a; f(3)').toString(),
  evaluate('[1, 2; 3, 4] * [5; 6]').toString(),
  evaluate('12.7 cm to inch').toString(),
  evaluate('2 + 3i') + '',
);
console.log(
  format(
    inv([
      [1, 2],
      [3, 4],
    ]),
    5,
  ),
  det([
    [2, 1],
    [1, 3],
  ]),
  multiply(matrix([[1, 2]]), matrix([[3], [4]])).toArray(),
  lusolve(
    [
      [2, 1],
      [1, 3],
    ],
    [3, 5],
  ).map((r) => format(r[0], 10)),
);
console.log(
  derivative('x^3 + sin(2 x)', 'x').toString(),
  simplify('2x + 3x - (y - y)').toString(),
  parse('1 / (a + b)^2').toTex(),
  parse('f(x, 2)').toString(),
);
console.log(
  unit('5 km/h').to('m/s').toString(),
  complex(1, 2).mul({ re: 0, im: 1 }).toString(),
  bignumber('0.1').plus('0.2').toString(),
  fraction(1, 3).add(fraction(1, 6)).toFraction(),
  chain(3).add(4).multiply(2).done(),
  std([2, 4, 4, 4, 5, 5, 7, 9]),
  sqrt(-4).toString(),
);
const big = create(all, { number: 'BigNumber', precision: 30 });
console.log(big.evaluate('1/3').toString(), big.evaluate('100!').toString().length);
for (const bad of ['1 +', 'nope(2)', '[1,2]*[1,2,3]'])
  try {
    evaluate(bad);
  } catch (e) {
    console.log(e.name, e.message);
  }
