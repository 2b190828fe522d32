import { rememberSecret } from '@inference/testing';
import fc from 'fast-check';
import { isLinkedKey, signLink, verifyLink } from './folder-storage';

const NOW = Date.parse('2026-03-01T12:00:00.500Z');
const OLD = 'an-older-secret-of-many-characters-1';
const NEW = 'a-newer-secret-of-many-characters-22';
const STRANGE = 'a-strange-secret-of-many-characters-3';

const soon = String(Math.ceil(NOW / 1000));
const part = {
  key: fc.stringMatching(/^[A-Za-z0-9_]{1,64}$/),
  fileName: fc.string({ unit: 'binary' }),
  expires: fc.integer({ min: Number(soon), max: 9_999_999_999 }).map(String),
};
const signed = (parts: { key: string; fileName: string; expires: string }, secrets = [NEW, OLD]) => ({
  ...parts,
  signature: signLink(parts, secrets),
});
const link = fc.record(part).map((parts) => signed(parts));
const verify = (parts: ReturnType<typeof signed>, secrets = [NEW, OLD], now = NOW) =>
  verifyLink(parts, secrets, now);

beforeAll(() => [OLD, NEW, STRANGE].forEach(rememberSecret));

describe('a signed link', () => {
  it('is valid unchanged', () => {
    fc.assert(fc.property(link, (whole) => verify(whole) === 'valid'));
  });

  it('is invalid if any part is changed', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), part.key, part.expires);
    const names = fc.constantFrom('key', 'fileName', 'expires', 'signature' as const);
    fc.assert(
      fc.property(link, names, text, (whole, name, other) => {
        fc.pre(whole[name as keyof typeof whole] !== other);
        return verify({ ...whole, [name]: other }) === 'invalid';
      }),
    );
  });

  it('is invalid if any character of the signature is changed, removed or added', () => {
    const names = fc.constantFrom<'key' | 'fileName' | 'expires' | 'signature'>(
      'key',
      'fileName',
      'expires',
      'signature',
    );
    fc.assert(
      fc.property(link, names, fc.nat(), fc.string({ maxLength: 1 }), (whole, name, at, character) => {
        const place = at % (whole[name].length + 1);
        const other = whole[name].slice(0, place) + character + whole[name].slice(place + 1);
        fc.pre(other !== whole[name]);
        return verify({ ...whole, [name]: other }) === 'invalid';
      }),
    );
  });

  it('is invalid if its parts are split differently', () => {
    const whole = signed({ key: 'file_1', expires: soon, fileName: `${soon}\nname` });
    expect(verify({ ...whole, key: `file_1\n${soon}`, fileName: 'name' })).toBe('invalid');
    const { key, signature } = signed({ key: 'file_1', expires: '17', fileName: '26\nname' });
    expect(verify({ key, expires: '17\n26', fileName: 'name', signature })).toBe('invalid');
  });

  it('is valid until the second before its expiry', () => {
    const whole = signed({ key: 'file_1', expires: soon, fileName: 'name' });
    expect(verify(whole, [NEW], Number(soon) * 1000 - 1)).toBe('valid');
    expect(verify(whole, [NEW], Number(soon) * 1000)).toBe('expired');
    // The verdict on an invalid signature does not reveal the expiry.
    expect(verify({ ...whole, fileName: 'other' }, [NEW], Number(soon) * 1000)).toBe('invalid');
  });

  it('is verified with any listed secret, and signed with the first', () => {
    const parts = { key: 'file_1', expires: soon, fileName: 'name' };
    expect(verify(signed(parts, [OLD]), [NEW, OLD])).toBe('valid');
    expect(verify(signed(parts, [NEW, OLD]), [NEW])).toBe('valid');
    expect(verify(signed(parts, [NEW, OLD]), [OLD])).toBe('invalid');
    expect(verify(signed(parts, [STRANGE]), [NEW, OLD])).toBe('invalid');
  });
});

it.each(['', '.', '..', '../a', 'a/b', 'a\\b', 'a.b', 'ä', 'a\0', 'a\n', 'x'.repeat(65)])(
  'refuses the key %j',
  (text) => expect(isLinkedKey(text)).toBe(false),
);
