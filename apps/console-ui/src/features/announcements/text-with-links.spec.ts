import { splitLinks } from './text-with-links';

describe('the text of an announcement', () => {
  it.each([
    ['no address', ['no address']],
    ['See https://a.example/b?c=d#e.', ['See ', { href: 'https://a.example/b?c=d#e' }, '.']],
    ['(https://a.example)', ['(', { href: 'https://a.example' }, ')']],
    ['参见 https://a.example/路。', ['参见 ', { href: 'https://a.example/' }, '路。']],
    [
      'https://a.example, https://b.example',
      [{ href: 'https://a.example' }, ', ', { href: 'https://b.example' }],
    ],
    ['javascript:alert(1) http://a.example <b>', ['javascript:alert(1) http://a.example <b>']],
    ['https://', ['https://']],
  ])('%j', (text, parts) => {
    expect(splitLinks(text)).toEqual(parts);
  });
});
