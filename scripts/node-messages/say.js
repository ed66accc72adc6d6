// Prints what each program of a list throws, one JSON array [program, name and message] a line.
'use strict';

const { readFileSync, writeSync } = require('node:fs');

const said = [];
for (const program of readFileSync(process.argv[2], 'utf8').split('\n').filter(Boolean)) {
  let result = 'nothing';
  try {
    new Function(program)();
  } catch (error) {
    result = error instanceof Error ? `${error.name}: ${error.message}` : `value ${String(error)}`;
  }
  said.push(JSON.stringify([program, result]));
}
writeSync(1, `${said.join('\n')}\n`);
