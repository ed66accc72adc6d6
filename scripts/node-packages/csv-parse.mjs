import { parse as parseSync } from 'csv-parse/sync';
import { parse } from 'csv-parse';
import { Readable } from 'node:stream';
console.log(
  parseSync('a,b\n1,"x ""y"", z"\n2,"two\nlines"\n', {
    columns: true,
    cast: (v, c) => (c.header ? v : isNaN(v) ? v : Number(v)),
  }),
);
console.log(
  parseSync('# c\nk;v\n x ; 1 \n\n', {
    delimiter: ';',
    comment: '#',
    trim: true,
    skip_empty_lines: true,
    from_line: 2,
  }),
);
const rows = [];
for await (const row of Readable.from(['id,na', 'me\n1,a\n', '2,b']).pipe(
  parse({ columns: (h) => h.map((x) => x.toUpperCase()), info: true }),
))
  rows.push([row.record, row.info.lines]);
console.log(rows);
for (const bad of ['a,b\n1', '"open', 'a"b"'])
  try {
    parseSync(bad);
    console.log('fine');
  } catch (e) {
    console.log(e.code, e.message);
  }
