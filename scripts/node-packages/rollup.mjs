import { rollup } from 'rollup';
const files = {
  main: "import { used } from 'lib'; import * as ns from 'other'; import path from 'path'; export default () => used(ns.a) + path.sep; if (false) gone(); import('lazy').then(m => m.x);",
  lib: "export const used = x => x + 1; export const unused = () => 'dropped'; class Gone {}",
  other: "export const a = 1; export let b = a; export { used as again } from 'lib';",
  lazy: "export const x = 'lazy'; import 'side';",
  side: "console.log('side effect');",
};
const warnings = [];
const bundle = await rollup({
  input: 'main',
  external: ['path'],
  onwarn: (w) => warnings.push(w.code),
  plugins: [
    {
      name: 'memory',
      resolveId: (id) => (files[id] ? id : null),
      load: (id) => files[id],
      transform: (code, id) =>
        id === 'side' ? { code: code.replace('effect', 'EFFECT'), map: null } : null,
    },
  ],
});
for (const format of ['es', 'cjs'])
  for (const chunk of (await bundle.generate({ format, exports: 'auto', sourcemap: true })).output)
    console.log(
      '//',
      format,
      chunk.type,
      chunk.fileName,
      chunk.type === 'chunk' ? `\n${chunk.code}` : chunk.source.length > 50,
    );
console.log(warnings, bundle.watchFiles.sort());
await bundle.close();
try {
  await rollup({
    input: 'x',
    plugins: [{ name: 'm', resolveId: (id) => id, load: () => 'let a = ;' }],
  });
} catch (e) {
  console.log(e.code, e.message.split('\n')[0]);
}
