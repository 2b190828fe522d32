interface Form {
  headers: Record<string, string>;
  body: string;
}

const BOUNDARY = 'fuzz-boundary';
const BYTES = 2 ** 20;

const part = (disposition: string, content: string): string =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`;
const FILE = part('name="file"; filename="note.txt"', 'text');

function form(...parts: string[]): Form {
  return {
    headers: { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` },
    body: `${parts.join('')}--${BOUNDARY}--\r\n`,
  };
}

const filled = (text: string): string => text.repeat(Math.floor(BYTES / text.length));

/** Forms that cost the most time to read, check or refuse. */
export const WORST_FORMS: [kind: string, formOf: () => Form][] = [
  ['form fields', () => form(filled(part('name="a"', '')), FILE)],
  ['a long form field', () => form(part('name="title"', filled('a')), FILE)],
  ['a form field of JSON', () => form(part('name="metadata"', `{"a":${filled('[')}`), FILE)],
  ['a long name of a form field', () => form(part(`name="${filled('a')}"`, ''), FILE)],
  ['a long file name', () => form(part(`name="file"; filename="${filled('a')}"`, 'text'))],
  ['an escaped file name', () => form(part(`name="file"; filename*=utf-8''${filled('%41')}`, 'text'))],
  ['boundaries', () => form(part('name="file"; filename="a.txt"', filled(`\r\n--${BOUNDARY.slice(1)}`)))],
  ['carriage returns', () => form(part('name="file"; filename="a.txt"', filled('\r')))],
  ['headers of a part', () => ({ ...form(), body: `--${BOUNDARY}\r\n${filled('X: a\r\n')}\r\n` })],
];
