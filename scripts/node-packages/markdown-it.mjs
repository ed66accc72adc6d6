import MarkdownIt from 'markdown-it';
const md = new MarkdownIt({
  html: false,
  linkify: true,
  typographer: true,
  highlight: (code, lang) => `[${lang}:${code.trim()}]`,
});
console.log(
  md.render(
    '# T\n\nSee example.com "quoted" -- (c) <b>no</b>\n\n1. a\n   * b\n\n```js\nx\n```\n\n| a |\n|---|\n| 1 |\n',
  ),
);
md.renderer.rules.strong_open = () => '<b>';
md.renderer.rules.strong_close = () => '</b>';
md.use((m) => m.core.ruler.push('count', (s) => console.log('tokens', s.tokens.length)));
console.log(
  md.renderInline('**x** `y` [l](http://é.com/ü)'),
  md.render('***both***\n\nhard  \nbreak\\\nhere'),
  md.parse('a\n\nb', {}).map((t) => t.type),
);
