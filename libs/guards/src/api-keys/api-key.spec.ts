import fc from 'fast-check';
import { hashSecretKey } from '../secret-key';
import { createApiKey, isApiKey } from '../credentials.repository';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const made = () => fc.constant(null).map(() => createApiKey());
const digit = () => fc.constantFrom(...BASE62);

describe('API keys', () => {
  it('have the same checksum in every version of the code', () => {
    // 0x77e5db82, the CRC32 of thirty zeros, in base62.
    expect(isApiKey(`bfvk-${'0'.repeat(30)}2C8GjS`)).toBe(true);
  });

  it('are created in a valid form and are unique', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(made(), ({ key, prefix }) => {
        expect(key).toMatch(/^bfvk-[0-9A-Za-z]{36}$/);
        expect(isApiKey(key)).toBe(true);
        expect(key.startsWith(prefix)).toBe(true);
        expect(prefix).toMatch(/^bfvk-[0-9A-Za-z]{7}$/);
        expect(seen.has(key)).toBe(false);
        seen.add(key);
      }),
    );
  });

  it('keys with one wrong digit are refused', () => {
    fc.assert(
      fc.property(made(), fc.nat(35), digit(), ({ key }, index, other) => {
        const position = 'bfvk-'.length + index;
        fc.pre(key[position] !== other);
        expect(isApiKey(key.slice(0, position) + other + key.slice(position + 1))).toBe(false);
      }),
      { numRuns: 1_000 },
    );
  });

  it('keys with two neighbouring digits swapped are refused', () => {
    fc.assert(
      fc.property(made(), fc.nat(34), ({ key }, index) => {
        const at = 'bfvk-'.length + index;
        fc.pre(key[at] !== key[at + 1]);
        expect(isApiKey(key.slice(0, at) + key[at + 1] + key[at] + key.slice(at + 2))).toBe(false);
      }),
    );
  });

  it('keys of any other form are refused', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => !isApiKey(text) && !isApiKey(`bfvk-${text}`)),
    );
    const { key } = createApiKey();
    const others = [
      ` ${key}`,
      `${key} `,
      `${key}\n`,
      `${key}0`,
      key.slice(0, -1),
      key.toUpperCase(),
      key.slice(5),
    ];
    for (const other of [...others, `BFVK-${key.slice(5)}`, '']) expect(isApiKey(other)).toBe(false);
  });

  it('are hashed with the secret', () => {
    fc.assert(
      fc.property(made(), fc.string(), fc.string(), ({ key }, one, other) => {
        fc.pre(one !== other);
        expect(hashSecretKey(key, one)).toEqual(hashSecretKey(key, one));
        expect(hashSecretKey(key, one)).toHaveLength(32);
        expect(hashSecretKey(key, one)).not.toEqual(hashSecretKey(key, other));
        expect(hashSecretKey(createApiKey().key, one)).not.toEqual(hashSecretKey(key, one));
      }),
    );
  });
});
