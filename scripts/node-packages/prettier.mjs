import * as prettier from 'prettier';
const show = async (text, options) => console.log(await prettier.format(text, options));
await show(
  'const a={b:1,c:[1,2,3],"d-e":function(){return a?.b??1}};async function f({x,y=2},...r){for await(const q of r)if(q)await g(q);else throw new Error(`no ${x+y}`)}',
  { parser: 'babel', singleQuote: true },
);
await show(
  'interface A<T>{a?:T|undefined;m(x:number):void} export type B=Partial<A<string>>&{k:`x${string}`}; enum E{A,B}',
  { parser: 'typescript', semi: false },
);
await show('a{color:RED;margin:0 0 0 0}@media (max-width:100px){.b>.c,d{e:f}}', { parser: 'css' });
await show('{"b":[1,2,{"c":null}],"a":"x"}', { parser: 'json', printWidth: 10 });
await show('# T\n* a\n* b\n\n|a|b|\n|-|-|\n|1|longer|\n', { parser: 'markdown' });
await show('a:   1\nb:\n    - x\n    -   {y: 2}\n', { parser: 'yaml' });
await show('<div><p>hi <b>x</b></p><script>let a=1</script></div>', { parser: 'html' });
try {
  await show('let a = ;', { parser: 'babel' });
} catch (e) {
  console.log(e.name, e.message.split('\n')[0], e.loc.start);
}
console.log(
  await prettier.check('a;\n', { parser: 'babel' }),
  (await prettier.getFileInfo('x.vue')).inferredParser,
);
