const { expect } = require('expect');
const strip = (text) => text.replace(/\u001b\[\d+m/g, '');
expect(1 + 1).toBe(2);
expect({ a: [1, { b: 2 }] }).toEqual({ a: [1, { b: expect.any(Number) }] });
expect([1, 2, 3]).toContain(2);
expect('hello').toMatch(/ell/);
expect(() => {
  throw new TypeError('x');
}).toThrow(TypeError);
expect(0.1 + 0.2).toBeCloseTo(0.3);
expect({ a: 1, b: 2 }).toMatchObject({ a: 1 });
const tries = [
  () => expect(1).toBe(2),
  () => expect({ a: 1, b: { c: [1, 2] } }).toEqual({ a: 1, b: { c: [1, 3] } }),
  () => expect([1]).toHaveLength(2),
  () => expect('a\nb').toBe('a\nc'),
  () => expect(null).not.toBeNull(),
  () => expect(new Map([[1, 2]])).toEqual(new Map([[1, 3]])),
  () => expect(() => {}).toThrow('x'),
  () => expect({}).toHaveProperty('a.b', 1),
  () => expect(5).toBeGreaterThan(7),
  () => expect(new Set([1])).toStrictEqual(new Set([2])),
];
for (const t of tries)
  try {
    t();
    console.log('passed');
  } catch (e) {
    console.log(strip(e.message), '\n--');
  }
expect.extend({ toBeEven: (n) => ({ pass: n % 2 === 0, message: () => `${n} is odd` }) });
try {
  expect(3).toBeEven();
} catch (e) {
  console.log(e.message);
}
(async () => {
  await expect(Promise.resolve(1)).resolves.toBe(1);
  try {
    await expect(Promise.resolve(1)).rejects.toThrow();
  } catch (e) {
    console.log(strip(e.message));
  }
})();
