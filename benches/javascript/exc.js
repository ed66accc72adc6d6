// Exceptions: thrown, caught, and finally.

function f() {
  let c = 0;
  for (let i = 0; i < 300000; i++) {
    try {
      if (i % 3 == 0) throw new Error('x' + i);
      c++;
    } catch (e) {
      c += e.message.length;
    } finally {
      c++;
    }
  }
  return c;
}
console.log(String(f()));
