import {
  produce,
  enablePatches,
  produceWithPatches,
  applyPatches,
  enableMapSet,
  original,
  current,
  isDraft,
  freeze,
} from 'immer';
enablePatches();
enableMapSet();
const base = {
  user: { name: 'a', tags: ['x'] },
  other: { big: [1] },
  m: new Map([['k', { n: 1 }]]),
};
const next = produce(base, (d) => {
  d.user.tags.push('y');
  d.user.name += '!';
  d.m.get('k').n++;
  delete d.user.none;
  console.log(isDraft(d.user), original(d.user).name, current(d).user.name);
});
console.log(base.user, next.user, next.other === base.other, next.m, Object.isFrozen(next.user));
try {
  ('use strict');
  next.user.name = 'z';
} catch (e) {
  console.log(e.name, e.message);
}
const [changed, patches, inverse] = produceWithPatches({ a: [1, 2, 3], o: { k: 1 } }, (d) => {
  d.a.splice(1, 1);
  d.o.k = 5;
  d.n = [0];
});
console.log(
  patches,
  inverse,
  applyPatches(changed, inverse),
  produce((d) => {
    d.count = (d.count ?? 0) + 1;
  })({ count: 1 }),
  produce(base, () => {}) === base,
);
try {
  produce({}, (d) => {
    d.x = 1;
    return { y: 2 };
  });
} catch (e) {
  console.log(e.message);
}
console.log(
  freeze({ a: {} }, true),
  produce(new Set([1]), (s) => {
    s.add(2);
  }),
);
