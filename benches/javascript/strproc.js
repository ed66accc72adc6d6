// Text: split, count words, replace, search, iterate.

function f() {
  let t = '';
  for (let i = 0; i < 60000; i++)
    t += 'The quick brown fox ' + i + ' jumps over the lazy dog; naïve café ';
  let c = 0;
  const w = t.split(' ');
  c += w.length;
  const m = {};
  for (const x of w) {
    const k = x.toLowerCase().trim();
    m[k] = (m[k] ?? 0) + 1;
  }
  c +=
    t.replaceAll('fox', 'cat').length +
    t.toUpperCase().indexOf('LAZY DOG; NA') +
    t.lastIndexOf('quick');
  for (let i = 0; i < t.length; i += 7) c += t.slice(i, i + 5).startsWith('qu') ? 1 : 0;
  for (const ch of t.slice(0, 500000)) if (ch === 'e') c++;
  return c;
}
console.log(String(f()));
