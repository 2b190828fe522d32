import { BUCKET, faultsWith, readWith } from './config.fixture';

describe('the code host configuration', () => {
  it.each([
    ['intl', 'https://github.com', 'https://api.github.com'],
    ['cn', 'https://gitee.com', 'https://gitee.com/api/v5'],
  ])('the code host of the %s site is %s by default', (SITE, url, apiUrl) => {
    const defaults = { token: undefined, repositories: {}, pollSeconds: 300 };
    expect(readWith({ ...BUCKET, SITE }).codeHost).toEqual({ url, apiUrl, ...defaults });
  });

  it('takes another code host', () => {
    const repositories = { engine: 'acme/engine', memo: 'acme/memo.js' };
    expect(
      readWith({
        ...BUCKET,
        RELEASE_REPOSITORIES: JSON.stringify(repositories),
        CODE_HOST_URL: 'https://git.example.com',
        CODE_HOST_API_URL: 'https://git.example.com/api/v3',
        CODE_HOST_TOKEN: 'token',
        RELEASE_POLL_SECONDS: '60',
      }).codeHost,
    ).toEqual({
      url: 'https://git.example.com',
      apiUrl: 'https://git.example.com/api/v3',
      token: 'token',
      repositories,
      pollSeconds: 60,
    });
  });

  it.each<[Record<string, string>, string]>([
    [{ RELEASE_REPOSITORIES: '[]' }, 'RELEASE_REPOSITORIES'],
    [{ RELEASE_REPOSITORIES: '{"engine": "acme"}' }, 'owner/repository'],
    [{ RELEASE_REPOSITORIES: '{"engine": "acme/../x"}' }, 'owner/repository'],
    [
      { RELEASE_REPOSITORIES: '{"console": "acme/x"}' },
      'must be an object with some of engine, router, agent, memo',
    ],
    [{ CODE_HOST_API_URL: 'http://git.example.com' }, 'CODE_HOST_API_URL: must be https'],
    [
      { RELEASE_REPOSITORIES: '{"engine": "a/b"}', CODE_HOST_URL: 'https://git.example.com' },
      'CODE_HOST_API_URL: is missing beside CODE_HOST_URL',
    ],
    [{ RELEASE_POLL_SECONDS: '5' }, 'RELEASE_POLL_SECONDS: must be between'],
  ])('refuses %j', (environment, expected) => {
    expect(faultsWith({ ...BUCKET, ...environment })).toEqual([expect.stringContaining(expected)]);
  });
});
