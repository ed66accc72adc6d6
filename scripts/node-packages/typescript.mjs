import ts from 'typescript';
const source =
  'enum Color { Red, Green = "g" }\nexport const f = async <T extends object>(x: T, ...rest: number[]): Promise<T | undefined> => rest.length ? x : undefined;\nconst n: number = "no";\nclass A { constructor(private readonly p?: string) {} get q() { return this.p?.length ?? 0 } }\nf(1);';
console.log(
  ts.transpileModule(source, {
    compilerOptions: { target: ts.ScriptTarget.ES2017, module: ts.ModuleKind.CommonJS },
  }).outputText,
);
const host = ts.createCompilerHost({});
const read = host.getSourceFile;
host.getSourceFile = (name, ...rest) =>
  name === 'x.ts' ? ts.createSourceFile(name, source, ts.ScriptTarget.ES2022) : read(name, ...rest);
let out;
host.writeFile = (name, text) => {
  if (name.endsWith('.d.ts')) out = text;
};
const program = ts.createProgram(
  ['x.ts'],
  { strict: true, declaration: true, target: ts.ScriptTarget.ES2022, types: [] },
  host,
);
program.emit();
for (const d of ts.getPreEmitDiagnostics(program))
  console.log(
    d.code,
    d.file.getLineAndCharacterOfPosition(d.start),
    ts.flattenDiagnosticMessageText(d.messageText, '\n'),
  );
const kinds = [];
ts.forEachChild(program.getSourceFile('x.ts'), (n) => kinds.push(ts.SyntaxKind[n.kind]));
console.log(kinds, out);
