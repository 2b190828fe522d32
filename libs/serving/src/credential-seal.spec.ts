import { randomBytes } from 'node:crypto';
import { CredentialSeal } from './credential-seal';

const [old, fresh] = [randomBytes(32), randomBytes(32)];

describe('sealed credentials', () => {
  it('open with any of the keys, for their upstream only', () => {
    const sealed = new CredentialSeal([old]).seal('up_1', 'sk-ü-1');
    expect(sealed).not.toContain('sk-');
    const both = new CredentialSeal([fresh, old]);
    expect(both.open('up_1', sealed)).toBe('sk-ü-1');
    expect(both.open('up_2', sealed)).toBeNull();
    expect(both.isCurrent(sealed)).toBe(false);
    expect(both.isCurrent(both.seal('up_1', 'x'))).toBe(true);
    expect(new CredentialSeal([fresh]).open('up_1', sealed)).toBeNull();
  });

  it.each(['', 'x', 'a.b', `${'0'.repeat(8)}.AAAA`])('do not open when they are %p', (text) => {
    expect(new CredentialSeal([old]).open('up_1', text)).toBeNull();
  });

  it('do not open when a byte was changed', () => {
    const seal = new CredentialSeal([old]);
    const [kid, encoded] = seal.seal('up_1', 'secret').split('.') as [string, string];
    const bytes = Buffer.from(encoded, 'base64url');
    bytes[14]! ^= 1;
    expect(seal.open('up_1', `${kid}.${bytes.toString('base64url')}`)).toBeNull();
  });
});
