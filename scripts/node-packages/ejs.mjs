import ejs from 'ejs';
import { writeFileSync } from 'node:fs';
import { tree } from './tree.mjs';
console.log(
  ejs.render(
    '<% for (const x of list) { -%>\n<li><%= x %></li>\n<% } -%>\n<%- raw %> <%# gone %><%% <%= typeof none %>',
    { list: ['a', '<b>'], raw: '<i>' },
  ),
);
const dir = tree('part.ejs');
writeFileSync(`${dir}/part.ejs`, '[<%= n * 2 %>]');
writeFileSync(`${dir}/main.ejs`, "a <%- include('part', { n: 21 }) %> z");
console.log(
  await ejs.renderFile(`${dir}/main.ejs`),
  await ejs.render('<%= await p %>', { p: Promise.resolve('async') }, { async: true }),
  ejs.compile('<?= x ?>', { delimiter: '?' })({ x: 1 }),
);
try {
  ejs.render('one\n<%= nope.x %>', {});
} catch (e) {
  console.log(e.name, e.message.split('\n').slice(0, 3));
}
