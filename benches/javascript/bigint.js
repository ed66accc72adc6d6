// Big integers: a long Fibonacci number and a factorial.

function f() {
  let a = 0n,
    b = 1n;
  for (let i = 0; i < 30000; i++) {
    const c = a + b;
    a = b;
    b = c;
  }
  let q = 1n;
  for (let i = 1n; i <= 3000n; i++) q *= i;
  return (a % 1000000007n).toString() + q.toString().length;
}
console.log(String(f()));
