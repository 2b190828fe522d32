import { VerifiedTokens } from './session-token.strategy';

const inSeconds = (seconds: number) => ({ sub: 'acct_1', exp: Date.now() / 1000 + seconds });

it('returns the claims of a verified token until it expires', () => {
  const tokens = new VerifiedTokens();
  const claims = inSeconds(60);
  tokens.add('valid', claims);
  tokens.add('expired', inSeconds(-1));
  tokens.add('endless', { sub: 'acct_1' });
  expect(tokens.get('valid')).toBe(claims);
  for (const other of ['expired', 'endless', 'Valid', '']) expect(tokens.get(other)).toBeUndefined();
});

it('does not add a token that was verified with keys that are replaced meanwhile', () => {
  const tokens = new VerifiedTokens();
  const { keySet } = tokens;
  tokens.clear();
  tokens.add('late', inSeconds(60), keySet);
  expect(tokens.get('late')).toBeUndefined();
});

it('forgets the oldest token above its limit, and all tokens when it is cleared', () => {
  const tokens = new VerifiedTokens(2);
  for (const token of ['a', 'b', 'c']) tokens.add(token, inSeconds(60));
  const held = () => ['a', 'b', 'c'].filter((token) => tokens.get(token));
  expect(held()).toEqual(['b', 'c']);
  tokens.clear();
  expect(held()).toEqual([]);
});
