import * as acorn from 'acorn';
const tree = acorn.parse(
  'export const f = async ({ a = 1, ...r }, [b]) => { for await (const x of y) z?.[x] ?? `t${x}`; };\nclass A { static #p = 1n; static { A.#p++ } }',
  { ecmaVersion: 'latest', sourceType: 'module', locations: true },
);
const count = {};
(function walk(n) {
  if (Array.isArray(n)) return n.forEach(walk);
  if (n?.type) {
    count[n.type] = (count[n.type] ?? 0) + 1;
    Object.values(n).forEach(walk);
  }
})(tree);
console.log(count, tree.body[1].loc);
console.log(
  [...acorn.tokenizer('a ** /re\\/x/gu.b + "s\\n" // c', { ecmaVersion: 2022 })].map((t) => [
    t.type.label,
    t.value instanceof Object ? t.value.pattern : t.value,
  ]),
  acorn.parseExpressionAt('x, 1+2*3', 3, { ecmaVersion: 5 }).operator,
);
for (const bad of [
  'let a; let a',
  'return 1',
  'a +',
  '"\n"',
  'for (let x of y, z);',
  '({a:1, a:2}) = 1',
  '/(?<n>a)(?<n>b)/',
])
  try {
    acorn.parse(bad, { ecmaVersion: 2024 });
    console.log('fine');
  } catch (e) {
    console.log(e.name, e.message, e.pos);
  }
const comments = [];
acorn.parse('/* a */ x; // b', { ecmaVersion: 2020, onComment: comments });
console.log(comments.map((c) => [c.type, c.value, c.start]));
