import { type Request } from 'express';
import { describeCredential, wrongKindMessage } from './credential.strategy';

const SESSION = { credential: 'a session token', place: 'Authorization: Bearer' };
const QUERY = { credential: 'a session token', place: '?token=' };
const API_KEY = { credential: 'an API key', place: 'Authorization: Bearer' };
const API_KEY_SCHEME = { credential: 'an API key', place: 'Authorization: ApiKey' };
const WORKSPACE_KEY = { credential: 'a workspace key', place: 'X-API-Key' };

const requestWith = (key?: string) => ({ get: () => key }) as unknown as Request;

describe('describeCredential', () => {
  it.each([
    ['bearer', 'bfvk-x', API_KEY],
    ['apikey', 'bfvk-x', API_KEY_SCHEME],
    ['bearer', 'a.b.c', SESSION],
    ['bearer', 'sk_x', { ...WORKSPACE_KEY, place: 'Authorization: Bearer' }],
    ['bearer', 'x', undefined],
    ['bearer', 'a.b.c.d', undefined],
  ] as const)('describes %s %s by its form', (scheme, secret, expected) => {
    expect(describeCredential(requestWith('sk_x'), { scheme, secret })).toEqual(expected);
  });

  it('reads X-API-Key if there is no header Authorization', () => {
    expect(describeCredential(requestWith('sk_x'))).toEqual(WORKSPACE_KEY);
    expect(describeCredential(requestWith())).toBeUndefined();
  });
});

describe('wrongKindMessage', () => {
  it.each([
    [[SESSION], API_KEY, 'a session token (Authorization: Bearer), not an API key'],
    [[SESSION, QUERY], API_KEY, 'a session token (Authorization: Bearer or ?token=), not an API key'],
    [[API_KEY], API_KEY_SCHEME, 'an API key (Authorization: Bearer), not an API key (Authorization: ApiKey)'],
    [
      [SESSION, WORKSPACE_KEY],
      API_KEY,
      'a session token (Authorization: Bearer) or a workspace key (X-API-Key), not an API key',
    ],
  ])('names the accepted kinds: %#', (accepted, sent, expected) => {
    expect(wrongKindMessage(accepted, sent)).toBe(`this route accepts ${expected}`);
  });

  it('says nothing about a credential of an accepted kind, or if no kind is offered to clients', () => {
    expect(wrongKindMessage([SESSION, API_KEY], API_KEY)).toBeUndefined();
    expect(wrongKindMessage([], API_KEY)).toBeUndefined();
  });
});
