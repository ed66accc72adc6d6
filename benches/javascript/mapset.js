// Map, Set, and an object used as a map.

function f() {
  const m = new Map();
  for (let i = 0; i < 500000; i++) m.set('k' + (i % 100000), (m.get('k' + (i % 100000)) || 0) + 1);
  const s = new Set();
  for (let i = 0; i < 1000000; i++) s.add(i % 50000);
  let c = 0;
  for (const [k, v] of m) c += v;
  for (const v of s) c += v;
  const o = {};
  for (let i = 0; i < 300000; i++) {
    const k = 'w' + (i % 5000);
    o[k] = (o[k] || 0) + 1;
  }
  return c + Object.keys(o).length;
}
console.log(String(f()));
