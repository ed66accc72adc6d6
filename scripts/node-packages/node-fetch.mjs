import fetch, { Headers, Response, FormData, AbortError } from 'node-fetch';
import { serve } from './server.mjs';
const { base, stop } = await serve();
let r = await fetch(`${base}/json?a=1`, { headers: { 'x-a': 'b' } });
console.log(r.status, r.ok, r.headers.get('x-method'), await r.json());
r = await fetch(`${base}/p`, { method: 'POST', body: new URLSearchParams({ a: 'ü' }) });
console.log(await r.json());
r = await fetch(`${base}/go`);
console.log(r.redirected, new URL(r.url).pathname, (await r.arrayBuffer()).byteLength);
const form = new FormData();
form.set('k', 'v');
console.log(
  (await (await fetch(`${base}/f`, { method: 'POST', body: form })).json()).body.includes(
    'name="k"',
  ),
  (await fetch(`${base}/missing`)).statusText,
);
try {
  await fetch(`${base}/slow`, { signal: AbortSignal.timeout(50) });
} catch (e) {
  console.log(e.name, e instanceof AbortError);
}
stop();
try {
  await fetch(base);
} catch (e) {
  console.log(e.name, e.code);
}
console.log(
  [...new Headers({ b: '1', a: '2' })],
  await new Response('x').text(),
  await (await fetch('data:,hi')).text(),
);
