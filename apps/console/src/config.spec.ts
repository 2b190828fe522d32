import { readConsoleConfig } from './config';
import { configFaults, CONSOLE_ENVIRONMENT, configWith } from './testing/console-config.fixture';
import { ENCRYPTION_KEY, newSigningKey, SIGNING_KEY } from './testing/console.fixture';

describe('the configuration', () => {
  it('has defaults for all optional variables', () => {
    const { RATE_LIMIT_MULTIPLIER: _multiplier, ...least } = CONSOLE_ENVIRONMENT;
    expect(readConsoleConfig(least)).toMatchObject({
      SESSION_TTL_SECONDS: 1800,
      SIGNUP: 'open',
      SITE_NAME: 'Inference Platform',
      RATE_LIMIT_MULTIPLIER: 1,
      topUp: { minPicos: 5_000_000_000_000n, maxPicos: 10_000_000_000_000_000n },
    });
    expect(readConsoleConfig({ ...least, SITE: 'cn' }).topUp.minPicos).toBe(10_000_000_000_000n);
  });

  it('names all faults at once, without values', () => {
    const { GATEWAY_URL: _gateway, DATABASE_URL: _database, ...rest } = CONSOLE_ENVIRONMENT;
    const broken = {
      SITE: 'moon',
      API_KEY_HASH_SECRET: 'hunter2',
      SESSION_TTL_SECONDS: '-5',
      SIGNUP: 'maybe',
      COOKIE_DOMAIN: 'not a domain',
      MIN_TOPUP: '50',
      MAX_TOPUP: '20',
      LOW_BALANCE_THRESHOLD: 'free',
      SESSION_SIGNING_KEYS: '[{"kty":"RSA","d":"short"}]',
    };
    let message = '';
    try {
      readConsoleConfig({ ...rest, ...broken });
    } catch (error) {
      message = (error as Error).message;
    }
    const { MIN_TOPUP: _inOrder, ...faulty } = broken;
    for (const name of ['GATEWAY_URL', 'DATABASE_URL', ...Object.keys(faulty)]) {
      expect(message).toContain(`- ${name}`);
    }
    expect(message).toContain('SESSION_SIGNING_KEYS (at 0.kty): must be EC');
    expect(message).not.toContain('hunter2');
  });

  it.each([
    [{ REFRESH_TTL_SECONDS: '1799' }, 'REFRESH_TTL_SECONDS: must not be less than SESSION_TTL_SECONDS'],
    [{ REFRESH_COOKIE_NAME: 'session' }, 'REFRESH_COOKIE_NAME: must differ from SESSION_COOKIE_NAME'],
    [{ REFRESH_COOKIE_NAME: '__Host-refresh' }, 'REFRESH_COOKIE_NAME: must not begin with __Host-'],
    [
      { REFRESH_COOKIE_NAME: '__Secure-session' },
      'REFRESH_COOKIE_NAME: must differ from SESSION_COOKIE_NAME',
    ],
    [{ OAUTH_FLOW_COOKIE_NAME: 'session' }, 'OAUTH_FLOW_COOKIE_NAME: must differ from SESSION_COOKIE_NAME'],
    [{ START_CREDIT: '-1' }, 'START_CREDIT: must not be negative'],
    [
      { TERMS_URL: 'https://www.example.com/terms' },
      'TERMS_VERSION: is missing: it is recorded which version of TERMS_URL an account has accepted',
    ],
    [
      { TERMS_VERSION: '2026' },
      'TERMS_URL: is missing: people must be able to read what they accept (TERMS_VERSION)',
    ],
    [
      { TERMS_URL: 'https://a.example', TERMS_VERSION: 'of June' },
      'TERMS_VERSION: must have letters, digits and . _ - only',
    ],
    [{ PRIVACY_URL: 'javascript:alert(1)' }, 'PRIVACY_URL: must be a URL starting with http:// or https://'],
    [
      { SUPPORT_CONTACT: 'nobody' },
      'SUPPORT_CONTACT: must be an e-mail address or a URL starting with http:// or https://',
    ],
    [{ ICP_NUMBER: '1' }, 'ICP_NUMBER: is for the site cn only'],
    [{ SESSION_COOKIE_NAME: 'a b' }, 'SESSION_COOKIE_NAME: must have 1 to 64 letters, digits and _ . -'],
    [
      { OAUTH_FLOW_COOKIE_NAME: 'a=b' },
      'OAUTH_FLOW_COOKIE_NAME: must have 1 to 64 letters, digits and _ . -',
    ],
  ])('refuses %j', (changes, fault) => {
    expect(configFaults(changes)).toEqual([fault]);
  });

  it.each([
    ['no array', '{}', 'must be an array'],
    ['an empty list', '[]', 'at least one key'],
    ['no JSON', 'kid', 'must be valid JSON'],
    ['a public key', JSON.stringify([{ ...SIGNING_KEY, d: undefined }]), 'is missing'],
    ['another curve', JSON.stringify([{ ...SIGNING_KEY, crv: 'P-384' }]), 'must be P-256'],
    ['a key without a kid', JSON.stringify([{ ...SIGNING_KEY, kid: undefined }]), 'is missing'],
    ['one kid twice', JSON.stringify([SIGNING_KEY, newSigningKey(SIGNING_KEY.kid)]), 'unique kids'],
    ['halves of two keys', JSON.stringify([{ ...SIGNING_KEY, d: newSigningKey().d }]), 'no matching pair'],
  ])('refuses %s as signing keys', (_name, keys, fault) => {
    expect(configFaults({ SESSION_SIGNING_KEYS: keys }).join()).toContain(fault);
  });

  it.each([
    ['', 'is missing'],
    ['ab'.repeat(31), '64 hexadecimal digits'],
    ['00'.repeat(32), 'must be random'],
    [`${ENCRYPTION_KEY},${ENCRYPTION_KEY}`, 'each key once'],
    [`${ENCRYPTION_KEY},`, '64 hexadecimal digits'],
  ])('refuses %j as encryption keys', (keys, fault) => {
    expect(configFaults({ ENCRYPTION_KEYS: keys }).join()).toContain(fault);
  });

  it('accepts one way to send mail, and requires a sender for a mail server', () => {
    const smtp = { SMTP_URL: 'smtp://mail.test', MAIL_FROM: 'no-reply@example.com' };
    expect(configFaults(smtp)).toEqual([]);
    expect(configFaults({ MAIL_FOLDER: '/tmp/mail' })).toEqual([]);
    expect(configFaults({ ...smtp, MAIL_FOLDER: '/tmp/mail' })).toEqual([
      'MAIL_FOLDER: must not be set beside SMTP_URL',
    ]);
    expect(configFaults({ SMTP_URL: smtp.SMTP_URL })).toEqual(['MAIL_FROM: is missing beside SMTP_URL']);
  });

  it.each([
    ['SMTP_URL', 'http://mail.test'],
    ['REDIS_URL', 'localhost:6379'],
    ['CONSOLE_UI_URL', 'console.example.com'],
    ['OAUTH_PROVIDERS', '{}'],
    ['CORS_ORIGINS', 'https://example.com/path'],
  ])('refuses %s=%s', (name, value) => {
    expect(configFaults({ MAIL_FROM: 'a@example.com', [name]: value }).join()).toContain(`${name}: `);
  });

  it('keeps the top-up amounts consistent', () => {
    expect(configFaults({ MIN_TOPUP: '50', MAX_TOPUP: '20' }).join()).toContain(
      'MAX_TOPUP: is less than MIN_TOPUP',
    );
    expect(configFaults({ TOPUP_PRESETS: '1,20' })).toEqual([
      'TOPUP_PRESETS: must lie between MIN_TOPUP and MAX_TOPUP',
    ]);
    expect(configFaults({ MIN_TOPUP: '0' })).toEqual(['MIN_TOPUP: must be positive']);
    expect(configFaults({ MIN_TOPUP: '1.005' })).toEqual(['MIN_TOPUP: has more than 2 decimals']);
    expect(configWith({ MIN_TOPUP: '15' }).topUp.presetsPicos[0]).toBe(20_000_000_000_000n);
  });
});
