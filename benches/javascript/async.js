// A million values of a generator, and 300,000 turns of await.

async function g(i) {
  await null;
  return i;
}
async function f() {
  let t = 0;
  for (let i = 0; i < 300000; i++) t += await g(i);
  return t;
}
function* gen(n) {
  for (let i = 0; i < n; i++) yield i;
}
let tt = 0;
for (const v of gen(1000000)) tt += v;
f().then((v) => console.log(tt + ':' + v));
