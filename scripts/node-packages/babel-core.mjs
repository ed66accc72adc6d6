import { version, types as t, template, traverse, parseSync, transformSync } from '@babel/core';
const code =
  'const add = (a, b) => a + b;\nclass P { #x = 1; get x() { return this.#x ?? 0 } }\nadd(1, 2)|0;';
const rename = () => ({
  visitor: {
    Identifier(path) {
      if (path.node.name === 'add') path.node.name = 'sum';
    },
    NumericLiteral(path) {
      path.node.value *= 10;
      delete path.node.extra;
    },
    ArrowFunctionExpression(path) {
      path.arrowFunctionToExpression();
    },
  },
});
const out = transformSync(code, {
  plugins: [rename],
  sourceMaps: true,
  filename: 'x.js',
  configFile: false,
  babelrc: false,
});
console.log(out.code, out.map.mappings.length > 20, out.map.names);
const ast = parseSync(code, { configFile: false, babelrc: false });
const seen = [];
traverse(ast, {
  Function: {
    enter(p) {
      seen.push(`in ${p.type}`);
    },
    exit(p) {
      seen.push(`out ${p.type}`);
    },
  },
  Identifier(p) {
    if (p.isReferencedIdentifier()) seen.push(p.node.name, p.scope.hasBinding(p.node.name));
  },
});
console.log(seen);
console.log(
  transformSync('x', {
    configFile: false,
    plugins: [
      () => ({
        visitor: {
          Program(p) {
            p.pushContainer('body', [
              template.statement('if (A) { return_(B) }')({
                A: t.booleanLiteral(true),
                B: t.arrayExpression([t.stringLiteral('q')]),
              }),
              t.variableDeclaration('let', [t.variableDeclarator(t.identifier('z'))]),
            ]);
          },
        },
      }),
    ],
  }).code,
);
try {
  parseSync('let a = ;', { filename: 'bad.js', configFile: false, babelrc: false });
} catch (e) {
  console.log(e.name, e.code, e.reasonCode, e.loc, e.message.split('\n').slice(1).join('\n'));
}
console.log(version);
