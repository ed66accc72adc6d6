// map, filter, reduce and forEach with small functions.

function f() {
  const a = Array.from({ length: 300000 }, (_, i) => i);
  let t = 0;
  for (let k = 0; k < 5; k++) {
    t += a
      .map((x) => x * 2)
      .filter((x) => x % 3 == 0)
      .reduce((p, c) => p + c, 0);
    a.forEach((v, i) => {
      t += v ^ i;
    });
    t += [...a].length;
    for (const v of a) t += v;
    t += a.some((v) => v < 0) ? 1 : 0;
  }
  return t;
}
console.log(String(f()));
