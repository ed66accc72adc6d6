import * as yaml from 'js-yaml';
const text =
  'name: app\nlist:\n  - a\n  - {k: 1, t: true, n: ~}\nanchor: &x\n  p: 0x1f\n  f: 1.5e3\ncopy: *x\ntext: |\n  two\n  lines\nfold: >-\n  one\n  line\nquoted: "a\\tb: c"\n';
const value = yaml.load(text);
console.log(value, value.copy === value.anchor);
console.log(
  yaml.dump(
    { z: [1, 'two', null, ['x']], a: { b: 'yes', m: 'multi\nline\n', e: '', n: '1' } },
    { sortKeys: true, lineWidth: 60 },
  ),
);
const all = [];
yaml.loadAll('a: 1\n---\n- 2\n', (d) => all.push(d));
console.log(all.length ? all : yaml.loadAll('a: 1\n---\n- 2\n'));
for (const bad of ['a: [1', 'a: b: c', '\tx: 1'])
  try {
    yaml.load(bad);
  } catch (e) {
    console.log(e.name, e.reason, e.mark.line, e.mark.column);
  }
