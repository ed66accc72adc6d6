import { v1, v3, v4, v5, v7, validate, version, parse, stringify, NIL } from 'uuid';
console.log(v3('hello', v3.DNS), v5('https://example.com', v5.URL), NIL);
console.log(
  v4({ random: new Uint8Array(16).fill(7) }),
  v7({ msecs: 1700000000000, random: new Uint8Array(16).fill(9), seq: 1 }),
);
console.log(
  [v1(), v4(), v7()].map((id) => [validate(id), version(id), id.length]),
  validate('nope'),
  v4() !== v4(),
);
console.log(
  parse('6ba7b810-9dad-11d1-80b4-00c04fd430c8').slice(0, 4),
  stringify(parse(v5('x', v5.DNS))),
);
try {
  parse('x');
} catch (e) {
  console.log(e.name, e.message);
}
