import { challengeInFragment } from './challenge';

describe('a challenge in the fragment', () => {
  it('has its id, methods and end', () => {
    const fragment =
      '#challenge=chal_1&methods=totp,recovery_code,other&expires_at=2026-01-01T00%3A00%3A00.000Z';
    expect(challengeInFragment(fragment)).toEqual({
      id: 'chal_1',
      methods: ['totp', 'recovery_code'],
      expires_at: '2026-01-01T00:00:00.000Z',
    });
  });

  it('is absent without an id', () => {
    expect(challengeInFragment('')).toBeUndefined();
    expect(challengeInFragment('#methods=totp')).toBeUndefined();
  });
});
