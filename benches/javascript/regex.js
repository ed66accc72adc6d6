// Regular expressions over 20,000 lines of a log.

function f() {
  let t = '';
  for (let i = 0; i < 20000; i++)
    t +=
      '2024-0' +
      ((i % 9) + 1) +
      '-12 10:' +
      (i % 60) +
      ':00 INFO user' +
      i +
      '@example.com GET /path/' +
      i +
      '?q=abc&x=' +
      i +
      ' 200 ' +
      i * 3 +
      '\n';
  let c = 0;
  for (const m of t.matchAll(/(\d{4})-(\d{2})-(\d{2})/g)) c += m[1].length;
  c += t.match(/[\w.]+@[\w.]+\.com/g).length;
  c += t.replace(/\b(\d+)\b/g, (m, a) => '<' + a + '>').length;
  c += t.split(/\r?\n/).filter((l) => /GET \/path\/\d*7\?/.test(l)).length;
  return t.length + ':' + c;
}
console.log(String(f()));
