import { stepOf } from './second-factor-verifier';

describe('the code of an authenticator', () => {
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
  ])('%i seconds after the beginning of 1970 is that of RFC 6238', (seconds, code) => {
    const now = jest.spyOn(Date, 'now').mockReturnValue(seconds * 1000);
    // The test secret of the standard, 12345678901234567890, in base32.
    expect(stepOf('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ', code)).toBe(Math.floor(seconds / 30));
    now.mockRestore();
  });

  // The library compares the bytes of codes that have as many UTF-16 units.
  it.each(['éééééé', '\u{88b2f}\u{1a165}\u{d7ff4}', '１２３４５６', '12345', ''])('is not %p', (code) => {
    expect(stepOf('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ', code)).toBeNull();
  });
});
