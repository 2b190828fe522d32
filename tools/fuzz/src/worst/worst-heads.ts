interface Head {
  path: string;
  headers?: Record<string, string>;
}

/** Below the 16 kB that Node's parser takes for a request line and headers together. */
const CHARS = 12_000;
const filled = (part: string): string => part.repeat(Math.floor(CHARS / part.length));
const numbered = (textOf: (number: number) => string): string => {
  let text = '';
  for (let number = 0; text.length < CHARS; number++) text += textOf(number);
  return text;
};

const withQuery = (path: string, query: string): Head => ({
  path: `${path}${path.includes('?') ? '&' : '?'}${query}`,
});
const withHeader = (path: string, name: string, value: string): Head => ({
  path,
  headers: { [name]: value },
});

/** Queries, headers and cookies that cost the most time to read, check or refuse. */
export const WORST_HEADS: [kind: string, headOf: (path: string) => Head][] = [
  [
    'query parameters',
    (path) =>
      withQuery(
        path,
        numbered((number) => `${number}=0&`),
      ),
  ],
  ['equal query parameters', (path) => withQuery(path, filled('limit=1&'))],
  ['a nested query parameter', (path) => withQuery(path, `a${filled('[a]')}=1`)],
  ['a long query parameter', (path) => withQuery(path, `limit=${filled('7')}`)],
  ['percent signs in the query', (path) => withQuery(path, `cursor=${filled('%41')}`)],
  ['a long cookie', (path) => withHeader(path, 'Cookie', `session=${filled('a')}`)],
  [
    'cookies',
    (path) =>
      withHeader(
        path,
        'Cookie',
        numbered((number) => `c${number}=0; `),
      ),
  ],
  ['equal cookies', (path) => withHeader(path, 'Cookie', filled('session=a; '))],
  ['percent signs in cookies', (path) => withHeader(path, 'Cookie', `session=${filled('%41')}`)],
  [
    'accepted types',
    (path) =>
      withHeader(
        path,
        'Accept',
        numbered((number) => `a/b${number};q=0.1,`),
      ),
  ],
  [
    'accepted languages',
    (path) =>
      withHeader(
        path,
        'Accept-Language',
        numbered((number) => `a${number};q=0.1,`),
      ),
  ],
  ['forwarded addresses', (path) => withHeader(path, 'X-Forwarded-For', filled('1.1.1.1, '))],
  [
    'entity tags',
    (path) =>
      withHeader(
        path,
        'If-None-Match',
        numbered((number) => `"${number}",`),
      ),
  ],
  ['ranges', (path) => withHeader(path, 'Range', `bytes=${numbered((number) => `${number}-${number},`)}`)],
  ['a long idempotency key', (path) => withHeader(path, 'Idempotency-Key', filled('k'))],
  ['a long path', (path) => ({ path: `${path.split('?')[0]}${filled('/a')}` })],
];
