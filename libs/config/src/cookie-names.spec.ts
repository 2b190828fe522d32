import { cookieNames, sessionCookieNames } from './cookie-names';

describe('the names of cookies', () => {
  it('have no prefix outside production, where cookies are not Secure', () => {
    expect(cookieNames('refresh', '__Secure-', false)).toEqual({ name: 'refresh' });
  });

  it.each([
    ['refresh', '__Secure-', { name: '__Secure-refresh', former: 'refresh' }],
    ['__Secure-refresh', '__Secure-', { name: '__Secure-refresh' }],
    ['__Secure-session', '__Host-', { name: '__Host-session', former: '__Secure-session' }],
    ['__host-session', '__Secure-', { name: '__Secure-session', former: '__host-session' }],
  ] as const)('in production of %s with %s', (configured, prefix, names) => {
    expect(cookieNames(configured, prefix, true)).toEqual(names);
  });

  it('of the session let no other host set it, unless it has a domain', () => {
    const config = { NODE_ENV: 'production', SESSION_COOKIE_NAME: 'session' };
    expect(sessionCookieNames(config).name).toBe('__Host-session');
    expect(sessionCookieNames({ ...config, COOKIE_DOMAIN: 'platform.test' }).name).toBe('__Secure-session');
    expect(sessionCookieNames({ ...config, NODE_ENV: 'development' }).name).toBe('session');
  });
});
