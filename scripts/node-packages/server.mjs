// A server on loopback for the programs that are clients.
import http from 'node:http';
import { once } from 'node:events';

export async function serve() {
  const server = http.createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const path = request.url.split('?')[0];
    if (path === '/go') return response.writeHead(302, { location: '/json' }).end();
    if (path === '/slow') return setTimeout(() => response.end('late'), 2000).unref();
    const status = path === '/missing' ? 404 : 200;
    response.writeHead(status, { 'content-type': 'application/json', 'x-method': request.method });
    response.end(JSON.stringify({ url: request.url, type: request.headers['content-type'], body }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = () => (server.close(), server.closeAllConnections());
  return { base: `http://127.0.0.1:${server.address().port}`, stop };
}
