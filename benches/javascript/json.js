// JSON: 60,000 records to text, back, and to indented text.

function f() {
  const o = [];
  for (let i = 0; i < 60000; i++)
    o.push({
      id: i,
      name: 'user name ' + i,
      email: 'user' + i + '@example.com',
      tags: ['alpha', 'beta', 'g' + i],
      active: i % 2 == 0,
      score: i * 1.5,
      nested: { a: i, b: [1, 2, 3], c: null, d: 'text with \"quotes\" and \n' },
    });
  const s = JSON.stringify(o);
  const b = JSON.parse(s);
  const t = JSON.stringify(b, null, 1);
  return s.length + ':' + b.length + ':' + t.length;
}
console.log(String(f()));
