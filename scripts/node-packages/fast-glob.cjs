const fg = require('fast-glob');
import('./tree.mjs').then(async ({ tree }) => {
  const cwd = tree('a.js', 'b.ts', 'src/c.js', 'src/deep/d.js', 'src/.hidden.js', 'out/e.js');
  console.log(
    (await fg(['**/*.{js,ts}', '!out'], { cwd })).sort(),
    fg.sync('**', { cwd, dot: true, deep: 2 }).sort(),
  );
  console.log(
    (await fg('src/*', { cwd, onlyFiles: false, markDirectories: true })).sort(),
    fg
      .sync('*', { cwd, stats: true })
      .map((e) => [e.name, e.stats.size])
      .sort(),
  );
  const seen = [];
  for await (const f of fg.stream('**/*.js', { cwd })) seen.push(f);
  console.log(seen.sort(), fg.isDynamicPattern('a*b'), fg.escapePath('(x)*'));
});
