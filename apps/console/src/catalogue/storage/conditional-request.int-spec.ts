import fc from 'fast-check';
import { timesAsLong } from '@inference/testing';
import { CONTENT, errorOf, type FileSite, type Headers, SIZE, StoredFiles, TAG } from './files.fixture';
import { readConditionalHeaders } from './files.service';

describe('a link to a file', () => {
  let files: StoredFiles;
  let site: FileSite;
  let path: string;
  let lastModified: string;
  const ask = (headers?: Headers, method?: string) => site.request(path, headers, method);

  beforeAll(async () => {
    files = await StoredFiles.start();
    ({ site, lastModified } = files);
    path = site.pathFor('file_1');
  });
  afterAll(() => files.stop());

  describe('with a range', () => {
    const range = (text: string, headers: Headers = {}) => ask({ Range: text, ...headers });

    it('sends exactly the requested bytes', async () => {
      const position = fc.oneof(fc.nat(SIZE + 20), fc.constantFrom(0, 1, SIZE - 1, SIZE, SIZE + 1, 2 ** 60));
      const forms = fc.oneof(
        fc.tuple(position, position).map(([first, last]) => [first, last] as const),
        position.map((first) => [first, undefined] as const),
        position.map((length) => [undefined, length] as const),
      );
      await fc.assert(
        fc.asyncProperty(forms, async ([first, last]) => {
          const { status, headers, body } = await range(`bytes=${first ?? ''}-${last ?? ''}`);
          const start = first ?? Math.max(0, SIZE - last!);
          const end = first === undefined || last === undefined ? SIZE - 1 : Math.min(last, SIZE - 1);
          if (first !== undefined && last !== undefined && last < first) {
            expect([status, body.equals(CONTENT)]).toEqual([200, true]);
          } else if (start >= SIZE) {
            expect([status, headers['content-range']]).toEqual([416, `bytes */${SIZE}`]);
          } else {
            expect([status, headers['content-range']]).toEqual([206, `bytes ${start}-${end}/${SIZE}`]);
            expect(headers['content-length']).toBe(String(end - start + 1));
            expect(body.equals(CONTENT.subarray(start, end + 1))).toBe(true);
          }
        }),
        { numRuns: 150 },
      );
    });

    it('has the same headers as the whole file', async () => {
      const whole = await ask();
      const part = await range('bytes=10-19');
      for (const name of ['etag', 'last-modified', 'content-disposition', 'content-type', 'cache-control'])
        expect(part.headers[name]).toBe(whole.headers[name]);
    });

    it('is 416 with the size if the range is outside the file', async () => {
      const answer = await range(`bytes=${SIZE}-`);
      expect([answer.status, errorOf(answer)]).toEqual([416, 'the file has no such range']);
      expect(answer.headers).toMatchObject({
        'content-range': `bytes */${SIZE}`,
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'no-store',
      });
      expect(answer.headers['content-disposition']).toBeUndefined();
    });

    it.each([
      '',
      'bytes',
      'bytes=',
      'bytes=-',
      'bytes=a-b',
      'bytes=5',
      'bytes=9-1',
      'bytes=1-2x',
      'bytes=+1-2',
    ])('sends the whole file for an invalid range: %j', async (text) => {
      const { status, body, headers } = await range(text);
      expect([status, body.length, headers['content-range']]).toEqual([200, SIZE, undefined]);
    });

    it.each(['bytes=0-1,5-6', 'bytes=0-1, -5', 'lines=0-1', 'bytes=0-1, 9-5'])(
      'sends the whole file for several ranges and for other units: %s',
      async (text) => expect((await range(text)).status).toBe(200),
    );

    const ifRange: [string, () => string, number][] = [
      ['its tag', () => TAG, 206],
      ['its date', () => lastModified, 206],
      ['its tag as a weak one', () => `W/${TAG}`, 200],
      ['another tag', () => '"file_2-1000"', 200],
      ['a list of tags', () => `"a", ${TAG}`, 200],
      ['a later date', () => 'Fri, 01 Jan 2100 00:00:00 GMT', 200],
      ['an earlier date', () => 'Thu, 01 Jan 1970 00:00:00 GMT', 200],
      ['rubbish', () => 'rubbish', 200],
    ];
    it.each(ifRange)('with If-Range %s: %#', async (_what, value, status) => {
      const answer = await range('bytes=0-9', { 'If-Range': value() });
      expect([answer.status, answer.body.length]).toEqual([status, status === 206 ? 10 : SIZE]);
      const none = await range(`bytes=${SIZE}-`, { 'If-Range': value() });
      expect(none.status).toBe(status === 206 ? 416 : 200);
    });
  });

  describe('with a condition', () => {
    const PAST = 'Thu, 01 Jan 1970 00:00:00 GMT';
    const FUTURE = 'Fri, 01 Jan 2100 00:00:00 GMT';
    const conditions: [number, Record<string, string>][] = [
      [304, { 'If-None-Match': TAG }],
      [304, { 'If-None-Match': `W/${TAG}` }],
      [304, { 'If-None-Match': `"a", ${TAG}` }],
      [304, { 'If-None-Match': '*' }],
      [304, { 'If-None-Match': TAG, 'Cache-Control': 'no-cache' }],
      [304, { 'If-None-Match': TAG, Range: 'bytes=0-9' }],
      [304, { 'If-None-Match': TAG, 'If-Modified-Since': PAST }],
      [200, { 'If-None-Match': '"a"' }],
      [200, { 'If-None-Match': '"a"', 'If-Modified-Since': FUTURE }],
      [206, { 'If-None-Match': '"a"', Range: 'bytes=0-9' }],
      [304, { 'If-Modified-Since': FUTURE }],
      [200, { 'If-Modified-Since': PAST }],
      [200, { 'If-Modified-Since': 'rubbish' }],
      [200, { 'If-Match': TAG }],
      [200, { 'If-Match': '*' }],
      [200, { 'If-Match': `W/"a", "b", ${TAG}` }],
      [206, { 'If-Match': TAG, Range: 'bytes=0-9' }],
      [412, { 'If-Match': '"a"' }],
      [412, { 'If-Match': `W/${TAG}` }],
      [412, { 'If-Match': `W/${TAG}, "a"` }],
      [412, { 'If-Match': `W/${TAG} , W/"a"` }],
      [200, { 'If-Match': `"a" ,  W/"a" ,${TAG}` }],
      [412, { 'If-Match': '"a"', Range: `bytes=${SIZE}-` }],
      [412, { 'If-Unmodified-Since': PAST }],
      [200, { 'If-Unmodified-Since': FUTURE }],
      [200, { 'If-Match': TAG, 'If-Unmodified-Since': PAST }],
    ];
    it.each(conditions)('answers %d for %j', async (status, headers) => {
      const answer = await ask(headers);
      expect(answer.status).toBe(status);
      if (status === 304) {
        expect(answer.headers).toMatchObject({ etag: TAG, 'cache-control': 'private, no-transform' });
        expect(answer.body.length).toBe(0);
      }
      if (status === 412) {
        expect(errorOf(answer)).toBe('the file does not match the precondition of the request');
        expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
      }
    });
  });
});

describe('the conditional headers of a request', () => {
  const LENGTH = 150_000;
  const SHORT_LENGTH = 1_500;
  const MOST_TIMES = 20;
  const representation = { sizeBytes: SIZE, entityTag: TAG, lastModified: 'Thu, 01 Jan 1970 00:00:00 GMT' };

  it.each([
    ['if-match', 'a', ' ', 'a'],
    ['if-match', 'W/"a"', ' ', 'a'],
    ['if-match', '', 'W/"a" \t', 'a'],
    ['if-match', '', 'W/"', ''],
    ['if-match', 'W/"', 'W/', ''],
    ['range', 'bytes=', ' ', 'a'],
    ['range', 'bytes=', '1', ''],
    ['range', 'bytes=1-', ' ', 'a'],
  ])(
    'are parsed in time that grows with their length: %s, %j and many %j',
    async (name, begin, unit, end) => {
      const readOf = (length: number) => {
        const value = begin + unit.repeat(length / unit.length) + end;
        return () => readConditionalHeaders('GET', { [name]: value }, representation);
      };
      const [long, short] = [readOf(LENGTH), readOf(SHORT_LENGTH)];
      const times = await timesAsLong(
        () => {
          for (let time = 0; time < 10; time++) long();
        },
        () => {
          for (let time = 0; time < 1_000; time++) short();
        },
        MOST_TIMES,
      );
      expect(times).toBeLessThan(MOST_TIMES);
    },
  );
});
