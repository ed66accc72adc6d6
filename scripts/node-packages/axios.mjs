import axios from 'axios';
import { serve } from './server.mjs';
const { base, stop } = await serve();
const api = axios.create({ baseURL: base, headers: { 'X-A': '1' } });
api.interceptors.request.use((c) => {
  c.params = { ...c.params, via: 'i' };
  return c;
});
console.log(
  (await api.get('/json', { params: { q: 'ü x', list: [1, 2] } })).data,
  (await api.post('/p', { k: 1 })).data,
  (await api.put('/u', new URLSearchParams({ a: 'b' }))).data,
);
console.log(
  (await api.get('/go')).request.path,
  (await api.head('/h')).headers['x-method'],
  (await api.get('/t', { responseType: 'text', transformResponse: (t) => t.length })).data > 10,
);
try {
  await api.get('/missing');
} catch (e) {
  console.log(axios.isAxiosError(e), e.code, e.message, e.response.status);
}
try {
  await api.get('/slow', { timeout: 50 });
} catch (e) {
  console.log(e.code, e.message);
}
stop();
try {
  await api.get('/');
} catch (e) {
  console.log(e.code);
}
