const Handlebars = require('handlebars');
Handlebars.registerHelper('up', (s) => s.toUpperCase());
Handlebars.registerHelper('list', (items, o) => items.map((i) => `<li>${o.fn(i)}</li>`).join(''));
Handlebars.registerPartial('foot', '-- {{name}}{{> @partial-block}}');
const t = Handlebars.compile(
  'Hi {{up name}} {{{raw}}} {{raw}} {{#if n}}n={{n}}{{else}}none{{/if}} {{#each o}}{{@key}}={{this}}{{#unless @last}},{{/unless}}{{/each}} {{#list items}}{{x}}{{../name}}{{/list}} {{#> foot}}!{{/foot}} {{lookup arr 1}}',
);
console.log(
  t({
    name: 'ann',
    raw: '<b>&',
    n: 0,
    o: { a: 1, b: 2 },
    items: [{ x: 1 }, { x: 2 }],
    arr: ['p', 'q'],
  }),
);
for (const bad of ['{{#if}}', '{{a', '{{nope 1}}'])
  try {
    console.log(Handlebars.compile(bad)({}));
  } catch (e) {
    console.log(e.message.split('\n')[0]);
  }
console.log(
  Handlebars.precompile('{{a}}').length > 100,
  Handlebars.escapeExpression('<a href="x">'),
);
