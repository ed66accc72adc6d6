import { marked, Marked, lexer } from 'marked';
const text =
  '# Hi *there*\n\n- [x] done\n- two\n  1. a\n\n| a | b |\n|:-:|--:|\n| 1 | `c|d` |\n\n```js\nlet a = "<b>";\n```\n> quote\n\n<https://x.y> ~~old~~ ![alt](i.png "t")\n';
console.log(
  marked.parse(text),
  lexer(text).map((t) => t.type),
);
const own = new Marked({
  renderer: {
    heading({ tokens, depth }) {
      return `<h${depth} class="x">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
  },
  walkTokens(t) {
    if (t.type === 'link') t.href += '#w';
  },
});
console.log(own.parse('## A [b](c)'), marked.parseInline('**b** & <i>'));
