import Fastify from 'fastify';
const app = Fastify();
app.decorate('unit', 'kg');
app.addHook('onRequest', async (req, reply) => {
  reply.header('x-hook', req.method);
});
app.post(
  '/items',
  {
    schema: {
      body: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } },
      response: {
        200: { type: 'object', properties: { n: { type: 'string' }, unit: { type: 'string' } } },
      },
    },
  },
  async (req) => ({ n: req.body.n, unit: app.unit, secret: 1 }),
);
app.register(
  async (child) => {
    child.get('/:id', async (req) => ({ id: req.params.id, q: req.query }));
  },
  { prefix: '/v1' },
);
app.get('/err', async () => {
  throw new RangeError('no');
});
const post = (payload) => app.inject({ method: 'POST', url: '/items', payload });
for (const r of [
  await post({ n: '5' }),
  await post({ n: 'x' }),
  await post({}),
  await app.inject('/v1/9?a=b'),
  await app.inject('/err'),
  await app.inject('/none'),
])
  console.log(r.statusCode, r.headers['x-hook'], r.headers['content-type'], r.body);
const base = await app.listen({ port: 0, host: '127.0.0.1' });
console.log(await (await fetch(`${base}/v1/real`)).json(), app.printRoutes());
await app.close();
