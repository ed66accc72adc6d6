import { z } from 'zod';
const User = z.object({
  name: z.string().min(2).trim(),
  age: z.number().int().positive().optional(),
  email: z.email(),
  role: z.enum(['admin', 'user']).default('user'),
  tags: z.array(z.string()).max(2),
});
console.log(User.parse({ name: ' Ann ', email: 'a@b.co', tags: ['x'], more: 1 }));
const bad = User.safeParse({
  name: 'A',
  age: -1.5,
  email: 'nope',
  role: 'root',
  tags: ['a', 'b', 'c'],
});
console.log(
  bad.success,
  bad.error.issues.map((i) => [i.path.join('.'), i.code, i.message]),
);
console.log(
  z
    .discriminatedUnion('k', [
      z.object({ k: z.literal('a'), n: z.coerce.number() }),
      z.object({ k: z.literal('b') }),
    ])
    .parse({ k: 'a', n: '5' }),
);
console.log(z.prettifyError(bad.error), z.toJSONSchema(User).required);
console.log(
  await z
    .string()
    .refine(async (s) => s !== 'x', 'not x')
    .safeParseAsync('x')
    .then((r) => r.error.issues[0].message),
  z.record(z.string(), z.number()).parse({ a: 1 }),
);
