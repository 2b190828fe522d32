import { timesAsLong } from '@inference/testing';
import { AmbiguousCookieException, readCookie } from './read-cookie';

const NAMES = { name: '__Host-session', former: 'session' };

describe('a cookie of a request', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['theme=dark', undefined],
    ['theme=dark; __Host-session=a', 'a'],
    ['__Host-session=a; __Host-session=a', 'a'],
    ['__Host-session=', ''],
    ['x__Host-session=b; __Host-session=a; __Host-session2=c', 'a'],
    // Only spaces and tabs surround a name. Browsers know no prefix behind another character, so any host can set such a cookie.
    ['\u00a0__Host-session=b; __Host-session=a', 'a'],
    ['\u00a0__Host-session=b', undefined],
    ['\u0085__Host-session=b', undefined],
  ])('is read from %j: %j', (header, value) => {
    expect(readCookie(header, NAMES)).toBe(value);
  });

  it('is read under its former name only if it has none of the present one', () => {
    expect(readCookie('session=b', NAMES)).toBe('b');
    expect(readCookie('session=b; __Host-session=a', NAMES)).toBe('a');
    expect(readCookie('session=b; session=c; __Host-session=a', NAMES)).toBe('a');
    expect(readCookie('session=b; __Host-session=', NAMES)).toBe('');
    expect(readCookie('session=b', { name: '__Host-session' })).toBeUndefined();
  });

  it.each([
    '__Host-session=a; __Host-session=b',
    '__Host-session=b;__Host-session=a',
    '__Host-session=a; __Host-session=',
    '__Host-session=a; theme=dark; \t__Host-session =b; session=a',
    'session=a; session=b',
  ])('is refused with two values: %j', (header) => {
    const read = () => readCookie(header, NAMES);
    expect(read).toThrow(AmbiguousCookieException);
    expect(read).toThrow(/^the cookie (__Host-)?session was sent with different values$/);
  });

  it('is read from a header of the largest size in time that grows with its length', async () => {
    const headerOf = (cookies: number) => Array(cookies).fill('__Host-session=a').join('; ');
    const read = (header: string, times: number) => {
      for (let time = 0; time < times; time++) expect(readCookie(header, NAMES)).toBe('a');
    };
    const mostTimes = 10;
    const times = await timesAsLong(
      () => read(headerOf(1_100), 20),
      () => read(headerOf(11), 2_000),
      mostTimes,
    );
    expect(times).toBeLessThan(mostTimes);
  });
});
