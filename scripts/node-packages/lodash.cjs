const _ = require('lodash');
const users = [
  { n: 'ann', age: 40, tags: ['a', 'b'] },
  { n: 'bob', age: 36, tags: ['b'] },
  { n: 'cy', age: 40, tags: [] },
];
console.log(
  _.groupBy(users, 'age'),
  _.sortBy(users, ['age', 'n']).map((u) => u.n),
);
console.log(_.chain(users).flatMap('tags').countBy().toPairs().value(), _.chunk(_.range(7), 3));
console.log(
  _.get(users, '[0].tags[1]'),
  _.set({}, 'a.b[1]', 2),
  _.merge({ a: { x: 1 } }, { a: { y: 2 } }),
);
console.log(
  _.camelCase('Foo Bar-baz'),
  _.kebabCase('fooBar'),
  _.template('hi <%= n %>')({ n: 'x' }),
);
console.log(
  _.isEqual({ a: [1] }, { a: [1] }),
  _.cloneDeep(users)[0] !== users[0],
  _.uniqBy(users, 'age').length,
);
console.log(
  _.debounce(() => {}, 5).cancel(),
  _.partition([1, 2, 3], (x) => x % 2),
  _.words('one, two & three'),
);
