import { type Caller, restrictedKeyIdOf } from './caller';

const account = { accountId: 'acct_1', role: 'admin' as const };
const withKey = (limits: Partial<NonNullable<Caller['apiKey']>>): Caller => ({
  ...account,
  apiKey: { id: 'key_1', spendLimited: false, allowedModels: null, reportsCost: true, ...limits },
});

describe('restrictedKeyIdOf', () => {
  it.each([
    ['a spending limit', { spendLimited: true }],
    ['a list of models', { allowedModels: ['one'] }],
    ['a list of no models', { allowedModels: [] }],
    ['both', { spendLimited: true, allowedModels: ['one'] }],
  ])('is the id of a key with %s, whatever the role of its account', (_what, limits) => {
    expect(restrictedKeyIdOf(withKey(limits))).toBe('key_1');
  });

  it('is null for a key without limits, a session, and a service that acts for an account', () => {
    expect(restrictedKeyIdOf(withKey({}))).toBeNull();
    expect(restrictedKeyIdOf({ ...account, sessionId: 'sess_1' })).toBeNull();
    expect(restrictedKeyIdOf({ ...account, service: 'console' })).toBeNull();
  });

  it('is the id of the restricted key on whose behalf a service acts', () => {
    expect(restrictedKeyIdOf({ ...withKey({ spendLimited: true }), service: 'agent' })).toBe('key_1');
  });
});
