const { JSDOM, VirtualConsole } = require('jsdom');
const virtualConsole = new VirtualConsole().on('log', (...args) => console.log('page:', ...args));
const dom = new JSDOM(
  '<!doctype html><p class="x">Hi <b>there</b></p><form><input name="n" value="1"></form><script>console.log(document.title || "untitled", [1].map(x => x + 1)[0]); document.body.dataset.ran = "yes";</script>',
  { runScripts: 'dangerously', url: 'https://example.com/p?q=1', virtualConsole },
);
const { document, Event, FormData, location } = dom.window;
const b = document.querySelector('p.x > b');
b.addEventListener('ping', (e) => console.log(e.type, e.target.tagName, e.bubbles));
b.dispatchEvent(new Event('ping', { bubbles: true }));
const div = document.createElement('div');
div.innerHTML = '<i>1</i><i title="a&lt;">2</i>';
document.body.append(div, 'text');
console.log(div.children.length, div.outerHTML, document.body.dataset.ran);
console.log(
  [...new FormData(document.forms[0])],
  location.search,
  (document.cookie = 'a=1'),
  document.querySelectorAll('i:last-child')[0].textContent,
  dom.window.getComputedStyle(b).display,
);
dom.window.localStorage.setItem('k', 'v');
console.log(
  dom.window.localStorage.length,
  dom.serialize().length,
  dom.window.eval('typeof process'),
);
dom.window.close();
