// A loop of ten million turns in a function.

function f() {
  let s = 0;
  for (let i = 0; i < 1e7; i++) s += i % 7;
  return s;
}
console.log(String(f()));
