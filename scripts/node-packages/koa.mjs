import Koa from 'koa';
const app = new Koa({ keys: ['k'] });
app.silent = true;
app.use(async (ctx, next) => {
  try {
    await next();
  } catch (e) {
    ctx.status = e.status ?? 500;
    ctx.body = { error: e.message };
  }
  ctx.set('X-After', String(ctx.status));
});
app.use(async (ctx, next) => {
  if (ctx.path !== '/hi') return next();
  ctx.cookies.set('s', 'v', { signed: true });
  ctx.body = { query: ctx.query, accepts: ctx.accepts('json', 'html') };
});
app.use(async (ctx, next) => {
  if (ctx.path === '/throw') ctx.throw(422, 'bad input');
  if (ctx.path === '/go') return ctx.redirect('/hi');
  await next();
});
const server = app.listen(0, '127.0.0.1', async () => {
  for (const path of ['/hi?x=1', '/throw', '/go', '/none']) {
    const r = await fetch(`http://127.0.0.1:${server.address().port}${path}`, {
      redirect: 'manual',
    });
    console.log(
      r.status,
      r.headers.get('x-after'),
      r.headers.get('location'),
      r.headers.getSetCookie(),
      await r.text(),
    );
  }
  server.close();
  server.closeAllConnections();
});
