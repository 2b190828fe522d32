import { createElement, Fragment } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { markdownContent } from './markdown-content';

const rendered = (text: string) =>
  renderToStaticMarkup(createElement(Fragment, null, ...markdownContent(text)));

describe('the content of Markdown', () => {
  it('has paragraphs, emphasis, lists and code', () => {
    expect(rendered('It is *twice* as **fast**.\n\n- one\n- `two`')).toBe(
      '<p>It is <em>twice</em> as <strong>fast</strong>.</p><ul><li>one</li><li><code>two</code></li></ul>',
    );
    expect(rendered('```sh\na < b\n```')).toBe('<pre tabindex="0"><code>a &lt; b\n</code></pre>');
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
});
