import { mailTokenIn } from './use-mail-token';

describe('the token of a mail', () => {
  it('is read from the fragment', () => {
    expect(mailTokenIn('#token=rst_1')).toBe('rst_1');
  });

  it.each(['', '#', '#token=', '#token=%20', '#code=rst_1'])('is absent in %j', (fragment) => {
    expect(mailTokenIn(fragment)).toBeUndefined();
  });
});
