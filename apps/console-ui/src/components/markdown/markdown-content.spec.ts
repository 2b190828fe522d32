import { createElement, Fragment } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';

import { type Block, markdownBlocks } from './markdown-content';

const blocksOf = (text: string): Block[] =>
  markdownBlocks(text, {
    code: (code, language) => createElement('pre', { lang: language || undefined }, code),
    formula: (tex, isBlock) => createElement(isBlock ? 'div' : 'var', null, tex),
  });

const rendered = (text: string) =>
  renderToStaticMarkup(createElement(Fragment, null, ...blocksOf(text).flatMap(({ nodes }) => nodes())));

describe('the content of Markdown', () => {
  it('has paragraphs, emphasis, lists and code', () => {
    expect(rendered('It is *twice* as **fast**.\n\n- one\n- `two`')).toBe(
      '<p>It is <em>twice</em> as <strong>fast</strong>.</p><ul><li>one</li><li><code>two</code></li></ul>',
    );
    expect(rendered('```sh\na < b\n```')).toBe('<pre lang="sh">a &lt; b\n</pre>');
  });

  it('has headings below those of the page', () => {
    expect(rendered('# One\n\n## Two')).toBe('<h3>One</h3><h4>Two</h4>');
  });

  it('shows HTML as text', () => {
    expect(rendered('<script>alert(1)</script> <img src=x onerror=alert(1)>')).not.toMatch(/<(script|img)/);
  });

  it('links to pages and mail addresses only', () => {
    expect(rendered('[a](https://example.com)')).toBe(
      '<p><a href="https://example.com" rel="noopener noreferrer">a</a></p>',
    );
    expect(rendered('[a](javascript:alert(1)) [b](data:text/html,x) [c](//evil.example)')).not.toContain(
      '<a',
    );
  });

  it('loads no images', () => {
    expect(rendered('![A picture](https://example.com/a.png)')).toBe(
      '<p><a href="https://example.com/a.png" rel="noopener noreferrer">A picture</a></p>',
    );
  });

  it('has numbers, tasks and the alignment of columns', () => {
    expect(rendered('3. c\n4. d')).toBe('<ol start="3"><li>c</li><li>d</li></ol>');
    expect(rendered('- [ ] open\n- [x] done\n- [a] b')).toBe(
      '<ul><li>☐ open</li><li>☑ done</li><li>[a] b</li></ul>',
    );
    expect(rendered('| a | b |\n|---|--:|\n| 1 | 2 |')).toContain(
      '<td>1</td><td style="text-align:right">2</td>',
    );
  });

  it.each([
    ['$a_1$ and $b$', '<p><var>a_1</var> and <var>b</var></p>'],
    [String.raw`\(a \* b\) c`, String.raw`<p><var>a \* b</var> c</p>`],
    ['so $$a$$ holds', '<p>so <div>a</div> holds</p>'],
    ['$$\na\n+b\n$$', '<div>a\n+b</div>'],
    [String.raw`\[ a \]`, '<div>a</div>'],
    ['Then:\n$$a$$\nnext', '<p>Then:</p><div>a</div><p>next</p>'],
    [String.raw`\[a](b)`, '<p>[a](b)</p>'],
  ])('has formulas: %j', (text, html) => expect(rendered(text)).toBe(html));

  it.each([
    '$5 and $10',
    'US$ 5, US$ 6',
    '$',
    '$$',
    'costs 5$.',
    '`$a$`',
    String.raw`\$a\$`,
    '$$a',
    '$5, then 6',
  ])('has no formula in %j', (text) => expect(rendered(text)).not.toMatch(/<var>|<div>/));

  it('keeps the identity of blocks that a longer text does not change', () => {
    const identities = (text: string) => blocksOf(text).map(({ identity }) => identity);
    const before = identities('One\n\n- two\n\nthr');
    const after = identities('One\n\n- two\n\nthree\n\n```\nfour');
    expect(after.slice(0, 2)).toEqual(before.slice(0, 2));
    expect(after).toHaveLength(4);
    expect(identities('[a][1]\n\n[1]: https://example.com')[0]).not.toBe(identities('[a][1]')[0]);
  });

  it.each([String.raw`\\$a `, String.raw`\(a `, `${String.raw`\[a`}\n`])(
    'reads many beginnings without an end in linear time: %j',
    (beginning) => {
      const millisOf = (count: number) => {
        const text = beginning.repeat(count);
        const runs = [1, 2, 3].map(() => {
          const before = process.cpuUsage();
          blocksOf(text);
          const { user, system } = process.cpuUsage(before);
          return (user + system) / 1_000;
        });
        return Math.min(...runs);
      };
      expect(millisOf(16_000) / millisOf(2_000)).toBeLessThan(32);
    },
  );
});
