import { ConfigError } from '@inference/config';
import { readConsoleConfig } from './config';
import { testEnvironment } from './console.fixture';

const {
  STORAGE_FOLDER: _folder,
  DOWNLOAD_LINK_SECRETS: secret,
  ...bare
} = testEnvironment('postgres://console@127.0.0.1:1/platform');
const BUCKET = { S3_BUCKET: 'packages', S3_REGION: 'eu-central-1' };

const read = (environment: Record<string, string | undefined>) =>
  readConsoleConfig({ ...bare, ...environment }).catalogue;

function faultsOf(environment: Record<string, string | undefined>): string[] {
  try {
    read(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

describe('the storage', () => {
  it('is a folder unless told', () => {
    expect(read({ DOWNLOAD_LINK_SECRETS: `${secret}, ${'x'.repeat(32)}` })).toMatchObject({
      storage: { folder: { folder: 'storage', linkSecrets: [secret, 'x'.repeat(32)] } },
      linkTtlSeconds: 900,
      maxPackageBytes: 2 ** 40,
    });
    const folder = { STORAGE_FOLDER: '/srv/packages', DOWNLOAD_LINK_SECRETS: secret };
    expect(read(folder).storage).toMatchObject({ folder: { folder: '/srv/packages' } });
  });

  it('is a bucket when there is one, which signs its links itself', () => {
    expect(read(BUCKET).storage).toEqual({
      s3: {
        bucket: 'packages',
        region: 'eu-central-1',
        endpoint: undefined,
        publicEndpoint: undefined,
        credentials: undefined,
        prefix: '',
        forcePathStyle: false,
      },
    });
    const elsewhere = {
      ...BUCKET,
      S3_ENDPOINT: 'http://storage:9000/',
      S3_PUBLIC_ENDPOINT: 'https://files.example.com',
      S3_ACCESS_KEY_ID: 'id',
      S3_SECRET_ACCESS_KEY: 'secret',
      S3_PREFIX: 'models/',
      S3_FORCE_PATH_STYLE: 'true',
    };
    expect(read(elsewhere).storage).toEqual({
      s3: {
        bucket: 'packages',
        region: 'eu-central-1',
        endpoint: 'http://storage:9000',
        publicEndpoint: 'https://files.example.com',
        credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
        prefix: 'models/',
        forcePathStyle: true,
      },
    });
  });

  it.each<[Record<string, string>, string[]]>([
    [{}, ['DOWNLOAD_LINK_SECRETS: is missing']],
    [{ DOWNLOAD_LINK_SECRETS: `${'x'.repeat(32)},short` }, ['DOWNLOAD_LINK_SECRETS: must have at least']],
    [{ ...BUCKET, STORAGE_FOLDER: '/srv' }, ['STORAGE_FOLDER: must not be set beside S3_BUCKET']],
    [{ S3_BUCKET: 'b' }, ['S3_REGION: is missing beside S3_BUCKET']],
    [{ ...BUCKET, S3_ACCESS_KEY_ID: 'id' }, ['S3_SECRET_ACCESS_KEY: is missing beside S3_ACCESS_KEY_ID']],
    [{ ...BUCKET, S3_SECRET_ACCESS_KEY: 's' }, ['S3_ACCESS_KEY_ID: is missing beside S3_SECRET_ACCESS_KEY']],
    [{ ...BUCKET, S3_ENDPOINT: 'storage:9000' }, ['S3_ENDPOINT: must be a URL']],
    [{ ...BUCKET, S3_PREFIX: 'a b' }, ['S3_PREFIX: must have']],
    [{ ...BUCKET, S3_FORCE_PATH_STYLE: 'yes' }, ['S3_FORCE_PATH_STYLE: must be true or false']],
    [
      { S3_REGION: 'r', S3_PREFIX: 'p' },
      ['S3_REGION: is set, but', 'S3_PREFIX: is set, but', 'DOWNLOAD_LINK_SECRETS'],
    ],
    [{ ...BUCKET, DOWNLOAD_LINK_TTL_SECONDS: '604801' }, ['DOWNLOAD_LINK_TTL_SECONDS: must be between']],
    [{ ...BUCKET, MAX_PACKAGE_BYTES: '0' }, ['MAX_PACKAGE_BYTES: must be between']],
  ])('%j is refused', (environment, expected) => {
    const faults = faultsOf(environment);
    expect(faults).toEqual(expected.map((fault) => expect.stringContaining(fault)));
  });
});

describe('the code host', () => {
  it.each([
    ['intl', 'https://github.com', 'https://api.github.com'],
    ['cn', 'https://gitee.com', 'https://gitee.com/api/v5'],
  ])('of %s is %s unless told', (SITE, url, apiUrl) => {
    const defaults = { token: undefined, repositories: {}, pollSeconds: 300 };
    expect(read({ ...BUCKET, SITE }).codeHost).toEqual({ url, apiUrl, ...defaults });
  });

  it('may be another one', () => {
    const repositories = { engine: 'acme/engine', memo: 'acme/memo.js' };
    expect(
      read({
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
  ])('%j is refused', (environment, expected) => {
    expect(faultsOf({ ...BUCKET, ...environment })).toEqual([expect.stringContaining(expected)]);
  });
});

describe('the pages of the sitemap', () => {
  it('are paths', () => {
    expect(read({ ...BUCKET, SITEMAP_PAGES: '["/", "/docs/a%20b"]' }).sitemapPages).toEqual([
      '/',
      '/docs/a%20b',
    ]);
    for (const pages of [
      '{}',
      '["a"]',
      '["https://x.example/"]',
      '["/a b"]',
      '["/a", "/a"]',
      '[1]',
      '["/a?b"]',
    ])
      expect(faultsOf({ ...BUCKET, SITEMAP_PAGES: pages })).toEqual([
        expect.stringContaining('SITEMAP_PAGES'),
      ]);
  });
});
