import crypto from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { UnavailableException } from '@inference/http';
import { Logger } from '@nestjs/common';
import { newId, NotificationChannel } from '@inference/database';
import { createTestDatabase, insertAccount, type TestDatabase, TestPool, waitFor } from '@inference/testing';
import {
  CompactSign,
  exportJWK,
  exportSPKI,
  generateKeyPair,
  type GenerateKeyPairResult,
  type JWTPayload,
  SignJWT,
} from 'jose';
import { CREDENTIAL_ENTITIES } from '../credentials.entity';
import { TestVerifier } from './session.fixture';
import { SESSION_AUDIENCE, sessionIssuer } from './session-token.strategy';

const NAME = 'sessions under test';

let database: TestDatabase;
let pool: TestPool;
let channel: NotificationChannel;
let verifier: TestVerifier;
let accountId: string;
let sessionId: string;
let pair: GenerateKeyPairResult;

/** Simulated console, which publishes its public keys. */
let server: Server;
let consoleUrl: string;
let answerKeys: () => { status: number; body: string } | null;

async function published(...pairs: [string, GenerateKeyPairResult][]): Promise<string> {
  const keys = pairs.map(async ([kid, { publicKey }]) => ({
    ...(await exportJWK(publicKey)),
    kid,
    alg: 'ES256',
  }));
  return JSON.stringify({ keys: await Promise.all(keys) });
}

/** The guard of a service that asks the console for its keys. */
const newVerifier = (url = consoleUrl) => new TestVerifier(url, pool, channel);

async function insertSession(lifetime = '30 minutes'): Promise<string> {
  const id = newId('ses');
  await database.pool.query(
    'INSERT INTO accounts.sessions (id, account_id, expires_at) VALUES ($1, $2, now() + $3::interval)',
    [id, accountId, lifetime],
  );
  return id;
}

interface Making {
  claims?: JWTPayload;
  without?: string;
  kid?: string;
  alg?: string;
  key?: Parameters<SignJWT['sign']>[0];
}

function makeToken({ claims = {}, without, kid = 'one', alg = 'ES256', key = pair.privateKey }: Making = {}) {
  const payload: JWTPayload = {
    ...{ sub: accountId, sid: sessionId, iss: sessionIssuer('intl'), aud: SESSION_AUDIENCE },
    exp: Math.floor(Date.now() / 1000) + 1_800,
    ...claims,
  };
  if (without) delete payload[without];
  return new SignJWT(payload).setProtectedHeader({ alg, kid }).sign(key);
}

beforeAll(async () => {
  Logger.overrideLogger(false);
  database = await createTestDatabase();
  pool = await TestPool.withEntities(
    { url: database.urlFor('training'), applicationName: NAME, size: 2 },
    CREDENTIAL_ENTITIES,
  );
  ({ accountId } = await insertAccount(database.pool));
  pair = await generateKeyPair('ES256', { extractable: true });
  server = createServer((_request, response) => {
    const answer = answerKeys();
    if (answer) response.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  consoleUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

beforeEach(async () => {
  const body = await published(['one', pair]);
  answerKeys = () => ({ status: 200, body });
  sessionId = await insertSession();
  channel = new NotificationChannel(database.urlFor('training'), NAME);
  verifier = newVerifier();
  await channel.start();
});

afterEach(() => channel.close());
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await pool.end();
  await database.drop();
});

describe('SessionStrategy', () => {
  it('finds the caller of a token', async () => {
    expect(await verifier.verify(await makeToken())).toEqual({ accountId, role: 'user', sessionId });
  });

  const past = Math.floor(Date.now() / 1000) - 5;
  it.each<[string, () => Promise<string> | string]>([
    ['no token', () => ''],
    ['no JWT', () => 'a.b.c'],
    ['a key', () => 'bfvk-1'],
    ['an expired token', () => makeToken({ claims: { exp: past } })],
    ['a token of the other site', () => makeToken({ claims: { iss: sessionIssuer('cn') } })],
    ['a token for another audience', () => makeToken({ claims: { aud: 'another' } })],
    ['a token that is not valid yet', () => makeToken({ claims: { nbf: past + 3_600 } })],
    ['a token without session', () => makeToken({ without: 'sid' })],
    ['a token without account', () => makeToken({ without: 'sub' })],
    ['a token without end', () => makeToken({ without: 'exp' })],
    ['a token without issuer', () => makeToken({ without: 'iss' })],
    ['a token without audience', () => makeToken({ without: 'aud' })],
    ["another account's session", () => makeToken({ claims: { sub: 'acct_other' } })],
    ['a session that does not exist', () => makeToken({ claims: { sid: 'ses_none' } })],
    ['an unknown kid', () => makeToken({ kid: 'two' })],
    [
      'a foreign key under a known kid',
      async () => makeToken({ key: (await generateKeyPair('ES256')).privateKey }),
    ],
    [
      'another algorithm',
      async () => makeToken({ alg: 'ES384', key: (await generateKeyPair('ES384')).privateKey }),
    ],
    [
      'HS256 with the public key as secret',
      async () => makeToken({ alg: 'HS256', key: Buffer.from(await exportSPKI(pair.publicKey)) }),
    ],
  ])('refuses %s', async (_what, token) => {
    expect(await verifier.verify(await token())).toBeNull();
    expect(await verifier.verify(await makeToken())).not.toBeNull();
  });

  it('refuses tokens with a garbage header or payload', async () => {
    const [, payload, signature] = (await makeToken()).split('.') as [string, string, string];
    const headers = [
      'null',
      '[]',
      '"ES256"',
      '7',
      '{}',
      '{"alg":["ES256"]}',
      '{"alg":{"toString":null}}',
      '{"alg":"ES256"',
      '{"alg":"ES256","kid":{}}',
      '{"alg":"ES256","kid":"__proto__"}',
      '{"alg":"ES256","crit":["x"]}',
      '[['.repeat(4_000),
      '\ud800',
    ];
    for (const header of headers) {
      const encoded = Buffer.from(header).toString('base64url');
      expect([header, await verifier.verify(`${encoded}.${payload}.${signature}`)]).toEqual([header, null]);
    }
    for (const signed of ['null', '7', '[]', 'no JSON']) {
      const token = new CompactSign(Buffer.from(signed)).setProtectedHeader({ alg: 'ES256', kid: 'one' });
      expect([signed, await verifier.verify(await token.sign(pair.privateKey))]).toEqual([signed, null]);
    }
  });

  it('is not replaced by the strategy of another app in the same process', async () => {
    const other = newVerifier('http://127.0.0.1:1');
    const token = await makeToken();
    expect(await verifier.verify(token)).not.toBeNull();
    await expect(other.verify(token)).rejects.toThrow(UnavailableException);
  });

  it('refuses a token of another account, also while the session is cached', async () => {
    const ofAnother = await makeToken({ claims: { sub: 'acct_other' } });
    expect(await verifier.verify(await makeToken())).not.toBeNull();
    expect(await verifier.verify(ofAnother)).toBeNull();
    sessionId = await insertSession();
    const both = [await makeToken({ claims: { sub: 'acct_other' } }), await makeToken()];
    const [refused, accepted] = await Promise.all(both.map((token) => verifier.verify(token)));
    expect([refused, accepted?.accountId]).toEqual([null, accountId]);
  });

  it('refuses a verified token as soon as it expires', async () => {
    const exp = Math.floor(Date.now() / 1000) + 100;
    const token = await makeToken({ claims: { exp } });
    expect(await verifier.verify(token)).not.toBeNull();
    jest.spyOn(Date, 'now').mockReturnValue(exp * 1000);
    expect(await verifier.verify(token)).toBeNull();
    jest.restoreAllMocks();
  });

  it('refuses a verified token after its key was retired', async () => {
    const token = await makeToken();
    expect(await verifier.verify(token)).not.toBeNull();
    const second = await generateKeyPair('ES256', { extractable: true });
    const body = await published(['two', second]);
    answerKeys = () => ({ status: 200, body });
    expect(await verifier.verify(token)).not.toBeNull();
    expect(await verifier.verify(await makeToken({ kid: 'two', key: second.privateKey }))).not.toBeNull();
    expect(await verifier.verify(token)).toBeNull();
  });

  it('verifies a token once', async () => {
    const verifying = jest.spyOn(crypto, 'createVerify');
    const token = await makeToken();
    for (let i = 0; i < 3; i++) expect(await verifier.verify(token)).not.toBeNull();
    expect(verifying).toHaveBeenCalledTimes(1);
    verifying.mockRestore();
  });

  it('refuses a token with the algorithm "none" or with exchanged parts', async () => {
    const [header, payload, signature] = (await makeToken()).split('.') as [string, string, string];
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as JWTPayload;
    const forged = encode({ ...claims, exp: claims.exp! + 1 });
    for (const alg of ['none', 'None', 'NONE', '']) {
      expect(await verifier.verify(`${encode({ alg, kid: 'one' })}.${payload}.`)).toBeNull();
      expect(await verifier.verify(`${encode({ alg, kid: 'one' })}.${payload}.${signature}`)).toBeNull();
    }
    expect(await verifier.verify(`${header}.${forged}.${signature}`)).toBeNull();
    expect(await verifier.verify(`${header}.${payload}.`)).toBeNull();
    expect(await verifier.verify(`${header}.${payload}`)).toBeNull();
  });

  it('refuses a valid token of an expired session', async () => {
    sessionId = await insertSession('-1 second');
    expect(await verifier.verify(await makeToken())).toBeNull();
  });

  it('evicts an ended session and a changed role before the cache entry expires', async () => {
    const token = await makeToken();
    const setRole = (role: string) =>
      database.pool.query('UPDATE accounts.accounts SET role = $2 WHERE id = $1', [accountId, role]);
    expect((await verifier.verify(token))?.role).toBe('user');
    await setRole('analyst');
    await waitFor(async () => (await verifier.verify(token))?.role === 'analyst');
    await setRole('user');
    await database.pool.query('UPDATE accounts.sessions SET ended_at = now() WHERE id = $1', [sessionId]);
    await waitFor(async () => (await verifier.verify(token)) === null);
  });

  it('works without the console after the keys are loaded', async () => {
    expect(await verifier.verify(await makeToken())).not.toBeNull();
    answerKeys = () => ({ status: 500, body: '' });
    sessionId = await insertSession();
    expect(await verifier.verify(await makeToken())).not.toBeNull();
  });

  it('fails with 503 while the console is unavailable, and recovers', async () => {
    const token = await makeToken();
    await expect(newVerifier('http://127.0.0.1:1').verify(token)).rejects.toThrow(UnavailableException);
    for (const [status, body] of [
      [500, ''],
      [404, '{"error":"not found"}'],
      [200, '<html>'],
      [200, '{"keys":"none"}'],
    ] as const) {
      const recovering = newVerifier();
      const whole = answerKeys;
      answerKeys = () => ({ status, body });
      await expect(recovering.verify(token)).rejects.toThrow(UnavailableException);
      answerKeys = whole;
      expect(await recovering.verify(token)).not.toBeNull();
    }
  });

  it('fails with 503 when the console does not answer at all', async () => {
    answerKeys = () => null;
    await expect(verifier.verify(await makeToken())).rejects.toThrow(UnavailableException);
  });

  it('accepts a new key, and the old one while it is published', async () => {
    await verifier.verify(await makeToken());
    const second = await generateKeyPair('ES256', { extractable: true });
    const body = await published(['two', second], ['one', pair]);
    answerKeys = () => ({ status: 200, body });
    const token = await makeToken({ kid: 'two', key: second.privateKey });
    expect(await verifier.verify(token)).not.toBeNull();
    expect(await verifier.verify(await makeToken())).not.toBeNull();
  });
});
