import { glob, globSync, Glob } from 'glob';
import { tree } from './tree.mjs';
const cwd = tree(
  'a.js',
  'b.ts',
  'src/c.js',
  'src/deep/d.js',
  'src/.hidden.js',
  'node_modules/x/e.js',
  'src/[odd].js',
);
console.log(
  (await glob('**/*.js', { cwd, ignore: 'node_modules/**' })).sort(),
  globSync('{a,b}.*', { cwd }).sort(),
);
console.log(
  globSync('**/*.js', { cwd, dot: true, posix: true }).length,
  globSync('src/*/', { cwd }),
  globSync('src/!(c).js', { cwd }).sort(),
);
const found = [];
for await (const entry of new Glob('**/d.*', { cwd, withFileTypes: true }))
  found.push(entry.relativePosix());
console.log(found);
