import { createHash, randomBytes } from 'node:crypto';
import { decodeProtectedHeader, EncryptJWT } from 'jose';
import { SealedTokens } from './sealed-tokens';

const OLD_KEY = randomBytes(32);
const NEW_KEY = randomBytes(32);

const withKeys = (...keys: Buffer[]) => new SealedTokens({ encryptionKeys: keys });

describe('a sealed token', () => {
  const tokens = withKeys(OLD_KEY);

  it('returns its claims and its subject, and is unreadable', async () => {
    const text = await tokens.seal('totp', 'acct_1', { secret: 'JBSWY3DPEHPK3PXP' });
    expect(await tokens.open('totp', 'acct_1', text)).toMatchObject({
      secret: 'JBSWY3DPEHPK3PXP',
      sub: 'acct_1',
    });
    expect(Buffer.from(text, 'base64url').toString('latin1')).not.toContain('JBSWY3DPEHPK3PXP');
    expect(text).not.toContain('acct_1');
    expect(decodeProtectedHeader(text)).toEqual({
      alg: 'dir',
      enc: 'A256GCM',
      kid: createHash('sha256').update(OLD_KEY).digest('hex').slice(0, 8),
    });
  });

  it('differs each time', async () => {
    expect(await tokens.seal('totp', 'acct_1', {})).not.toBe(await tokens.seal('totp', 'acct_1', {}));
  });

  it('is invalid for another purpose or another subject', async () => {
    const text = await tokens.seal('totp', 'acct_1', {});
    expect(await tokens.open('oauth', 'acct_1', text)).toBeNull();
    expect(await tokens.open('totp', 'acct_2', text)).toBeNull();
    expect(await tokens.open('totp', undefined, text)).toMatchObject({ sub: 'acct_1' });
  });

  it('expires', async () => {
    expect(await tokens.open('oauth', undefined, await tokens.seal('oauth', 'f', {}, -1))).toBeNull();
    expect(await tokens.open('oauth', undefined, await tokens.seal('oauth', 'f', {}, 600))).not.toBeNull();
  });

  it('is decrypted with any key of the list and encrypted with the first', async () => {
    const old = await tokens.seal('totp', 'acct_1', { n: 1 });
    const rotated = withKeys(NEW_KEY, OLD_KEY);
    expect(await rotated.open('totp', 'acct_1', old)).toMatchObject({ n: 1 });
    const fresh = await rotated.seal('totp', 'acct_1', { n: 2 });
    expect(await withKeys(NEW_KEY).open('totp', 'acct_1', fresh)).toMatchObject({ n: 2 });
    expect(await withKeys(NEW_KEY).open('totp', 'acct_1', old)).toBeNull();
  });

  it('cannot be altered or forged', async () => {
    const text = await tokens.seal('totp', 'acct_1', {});
    const parts = text.split('.');
    const altered = parts.map((part, at) =>
      at === 3 ? `${part.startsWith('A') ? 'B' : 'A'}${part.slice(1)}` : part,
    );
    const { kid } = decodeProtectedHeader(text);
    const foreign = await new EncryptJWT({})
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: String(kid) })
      .setAudience('totp')
      .setSubject('acct_1')
      .encrypt(NEW_KEY);
    for (const attempt of ['', 'rubbish', '....', 'a.b.c.d.e', altered.join('.'), foreign, `${text}A`]) {
      expect([attempt, await tokens.open('totp', undefined, attempt)]).toEqual([attempt, null]);
    }
  });
});
