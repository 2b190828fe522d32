import { BUCKET, faultsWith, LINK_SECRET, readWith } from './config.fixture';

describe('the storage configuration', () => {
  it('is a folder by default', () => {
    expect(readWith({ DOWNLOAD_LINK_SECRETS: `${LINK_SECRET}, ${'x'.repeat(32)}` }).storage).toMatchObject({
      backend: { folder: 'storage' },
      linkSecrets: [LINK_SECRET, 'x'.repeat(32)],
      linkTtlSeconds: 900,
      maxPackageBytes: 2 ** 40,
    });
    const folder = { STORAGE_FOLDER: '/srv/packages', DOWNLOAD_LINK_SECRETS: LINK_SECRET };
    expect(readWith(folder).storage.backend).toEqual({ folder: '/srv/packages' });
  });

  it('is the bucket if one is configured, without link secrets', () => {
    expect(readWith(BUCKET).storage.backend).toEqual({
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
    expect(readWith(elsewhere).storage.backend).toEqual({
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
  ])('refuses %j', (environment, expected) => {
    const faults = faultsWith(environment);
    expect(faults).toEqual(expected.map((fault) => expect.stringContaining(fault)));
  });
});
