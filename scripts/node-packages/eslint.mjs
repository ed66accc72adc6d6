import { ESLint, Linter } from 'eslint';
const config = [
  {
    languageOptions: { ecmaVersion: 2024, globals: { console: 'readonly' } },
    rules: {
      'no-undef': 'error',
      'no-unused-vars': 'warn',
      'prefer-const': 'error',
      eqeqeq: 'error',
      'no-var': 'error',
      'no-unreachable': 'error',
      complexity: ['error', 2],
    },
  },
];
const code =
  'var a = 1;\nlet b = 2;\nif (a == b) { console.log(nope) }\nexport function f(x) { return x ? 1 : x > 2 ? 3 : 4; b; }\n';
const linter = new Linter();
for (const m of linter.verify(code, config, 'x.js'))
  console.log(`${m.line}:${m.column} ${m.severity} ${m.ruleId} ${m.message}`);
console.log(
  linter.verifyAndFix(code, config).output,
  linter.verify('let = 1 +', config).map((m) => [m.fatal, m.message]),
);
const eslint = new ESLint({
  overrideConfigFile: true,
  overrideConfig: [
    ...config,
    {
      plugins: {
        own: {
          rules: {
            'no-foo': {
              create: (c) => ({
                Identifier: (n) => n.name === 'foo' && c.report({ node: n, message: 'foo!' }),
              }),
            },
          },
        },
      },
      rules: { 'own/no-foo': 2 },
    },
  ],
});
const results = await eslint.lintText('const foo = 1;\n', { filePath: 'y.js' });
console.log(
  results[0].errorCount,
  results[0].messages.map((m) => m.message),
  (await (await eslint.loadFormatter('stylish')).format(results)).replace(/.*y\.js/, 'y.js'),
);
