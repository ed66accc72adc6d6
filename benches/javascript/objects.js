// Classes, inheritance, getters, destructuring and spread.

class P {
  constructor(x, y) {
    this.x = x;
    this.y = y;
  }
  add(o) {
    return new P(this.x + o.x, this.y + o.y);
  }
  get len() {
    return this.x * this.x + this.y * this.y;
  }
}
class Q extends P {
  add(o) {
    const r = super.add(o);
    r.z = 1;
    return r;
  }
}
function f() {
  let p = new P(0, 0),
    q = new Q(1, 2),
    t = 0;
  for (let i = 0; i < 1000000; i++) {
    p = p.add(q);
    t += p.len;
    const { x, y } = q.add(p);
    t += x - y;
    const z = { ...p, k: i };
    t += z.k;
  }
  return t;
}
console.log(String(f()));
