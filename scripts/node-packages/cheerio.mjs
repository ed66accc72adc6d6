import * as cheerio from 'cheerio';
const $ = cheerio.load(
  '<ul id="l"><li class="a x">One</li><li data-n="2">Two <b>bold</b></li></ul><table><tr><td>1<td>2</table><p>x &amp; y',
);
console.log(
  $('li').length,
  $('li.a').text(),
  $('[data-n]').data('n'),
  $('ul > li:nth-child(2) b').html(),
  $('li')
    .map((i, e) => $(e).text())
    .get(),
);
$('ul')
  .append('<li>Three</li>')
  .find('li')
  .first()
  .addClass('new')
  .attr('title', '"q"')
  .removeClass('x')
  .after('<!-- c -->');
$('b').replaceWith((e) => 'plain');
console.log(
  $('#l').prop('outerHTML'),
  $('td')
    .toArray()
    .map((e) => e.tagName),
  $('p').html(),
);
console.log(
  $.extract({ items: ['li'], second: { selector: 'li:eq(1)', value: 'data-n' } }),
  cheerio.load('<a><B c=1/></a>', { xml: true }).xml(),
  $.html().length,
);
