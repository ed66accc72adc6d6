import express from 'express';
const app = express();
app.use(express.json());
app.set('json spaces', 1);
app.use((req, res, next) => {
  res.set('X-Trace', req.method);
  next();
});
app.get('/users/:id', (req, res) => res.json({ id: req.params.id, q: req.query }));
app.post('/echo', (req, res) => res.status(201).send({ got: req.body, type: req.is('json') }));
app.get('/boom', async () => {
  throw Object.assign(new Error('boom'), { status: 418 });
});
const router = express.Router();
router.get('/deep', (req, res) => res.type('text').cookie('a', '1').send(req.baseUrl));
app.use('/api', router);
app.use((req, res) => res.status(404).send('nothing'));
app.use((err, req, res, next) => res.status(err.status ?? 500).json({ error: err.message }));
const server = app.listen(0, '127.0.0.1', async () => {
  const base = `http://127.0.0.1:${server.address().port}`;
  for (const [path, init] of [
    ['/users/7?a=1&b=x'],
    [
      '/echo',
      { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"k":[1]}' },
    ],
    ['/echo', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{bad' }],
    ['/boom'],
    ['/api/deep'],
    ['/none'],
  ]) {
    const r = await fetch(base + path, init);
    console.log(
      r.status,
      r.headers.get('content-type'),
      r.headers.get('x-trace'),
      r.headers.get('etag'),
      r.headers.get('set-cookie'),
      await r.text(),
    );
  }
  server.close();
  server.closeAllConnections();
});
