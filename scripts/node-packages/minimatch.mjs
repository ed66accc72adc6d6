import { minimatch, Minimatch } from 'minimatch';
const cases = [
  ['a.js', '*.js'],
  ['a/b.js', '*.js'],
  ['a/b/c.js', '**/*.js'],
  ['.x', '*'],
  ['ab', '@(a|ab)'],
  ['b', '[!a]'],
  ['file7', 'file{1..9}'],
  ['x', '!x'],
];
console.log(
  cases.map(([text, pattern]) => minimatch(text, pattern)),
  minimatch('.x', '*', { dot: true }),
  minimatch('A', 'a', { nocase: true }),
);
console.log(
  minimatch.braceExpand('{a,b}{1..3}'),
  minimatch.filter('*.md')('x.md'),
  new Minimatch('src/**/*.ts').match('src/a/b.ts'),
  minimatch.match(['a', 'b'], '[b-z]'),
);
