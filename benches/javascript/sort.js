// Sorting numbers, texts and objects by two keys.

function f() {
  let x = 12345;
  const r = () => (x = (x * 1103515245 + 12345) & 0x7fffffff);
  const a = [];
  for (let i = 0; i < 300000; i++) a.push(r());
  const b = a.slice().sort((p, q) => p - q);
  const c = a.map((v) => 's' + v).sort();
  const d = a.map((v) => ({ v, k: v % 1000 })).sort((p, q) => p.k - q.k || p.v - q.v);
  return b[0] + c[0] + d[1].v;
}
console.log(String(f()));
