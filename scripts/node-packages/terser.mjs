import { minify } from 'terser';
const code =
  'function outer(longName, other) { const unused = 1; if (false) { dead(); } const inner = (value) => value * 2 + 0; return longName ? inner(other) : [1, 2].map(function (item) { return item + other; }); }\nclass Thing { #hidden = 1; get value() { return this.#hidden ?? undefined; } }\nconsole.log(outer(true, 60 * 60), `a${"b"}c`, new Thing().value);';
for (const options of [
  {},
  { toplevel: true },
  { compress: false, mangle: false, format: { beautify: true } },
  { compress: { drop_console: true, passes: 2 }, mangle: { reserved: ['other'] }, ecma: 2020 },
])
  console.log((await minify(code, options)).code);
const { code: small, map } = await minify(
  { 'a.js': 'const first = 1;', 'b.js': 'export { first };' },
  { sourceMap: true, module: true },
);
console.log(small, JSON.parse(map).sources, JSON.parse(map).mappings);
try {
  await minify('let a = ;');
} catch (e) {
  console.log(e.name, e.message, e.line, e.col);
}
