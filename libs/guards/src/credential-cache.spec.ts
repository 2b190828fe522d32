import { CredentialCache } from './credential-cache';

const TTL_MILLIS = 60_000;

/** A lookup that the test completes. */
function pendingLookUp() {
  let finish!: (value: string | null) => void;
  let fail!: (error: Error) => void;
  const result = new Promise<string | null>((resolve, reject) => {
    finish = resolve;
    fail = reject;
  });
  return { lookUp: jest.fn(() => result), finish, fail };
}

describe('CredentialCache', () => {
  const answer = (value: string | null) => jest.fn(() => Promise.resolve(value));

  it('looks up once until the entry expires', async () => {
    const cache = new CredentialCache<string>(TTL_MILLIS);
    const lookUp = answer('a');
    expect([await cache.get('k', lookUp), await cache.get('k', lookUp)]).toEqual(['a', 'a']);
    expect(lookUp).toHaveBeenCalledTimes(1);
    expect(await cache.get('other', answer('b'))).toBe('b');
  });

  it('looks up again after the entry expired, counted from the start of the lookup', async () => {
    const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
    const cache = new CredentialCache<string>(300);
    const { lookUp, finish } = pendingLookUp();
    const first = cache.get('k', lookUp);
    clock.mockReturnValue(200);
    finish('old');
    await first;
    clock.mockReturnValue(299);
    expect(await cache.get('k', answer('too early'))).toBe('old');
    clock.mockReturnValue(300);
    expect(await cache.get('k', answer('new'))).toBe('new');
    clock.mockRestore();
  });

  it('does not cache null or an error', async () => {
    const cache = new CredentialCache<string>(TTL_MILLIS);
    expect(await cache.get('k', answer(null))).toBeNull();
    await expect(cache.get('k', () => Promise.reject(new Error('down')))).rejects.toThrow('down');
    expect(await cache.get('k', answer('a'))).toBe('a');
  });

  it('shares one lookup, and its error, among concurrent callers', async () => {
    const cache = new CredentialCache<string>(TTL_MILLIS);
    const good = pendingLookUp();
    const both = [cache.get('k', good.lookUp), cache.get('k', good.lookUp)];
    good.finish('a');
    expect(await Promise.all(both)).toEqual(['a', 'a']);
    expect(good.lookUp).toHaveBeenCalledTimes(1);
    const bad = pendingLookUp();
    const failing = [cache.get('x', bad.lookUp), cache.get('x', bad.lookUp)];
    bad.fail(new Error('down'));
    expect((await Promise.allSettled(failing)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  it('evicts only matching entries', async () => {
    const cache = new CredentialCache<string>(TTL_MILLIS);
    await cache.get('k', answer('a'));
    await cache.get('l', answer('b'));
    cache.forget((value) => value === 'a');
    expect([await cache.get('k', answer('new')), await cache.get('l', answer('new'))]).toEqual(['new', 'b']);
  });

  it('does not cache a lookup that was running during an eviction', async () => {
    const cache = new CredentialCache<string>(TTL_MILLIS);
    const { lookUp, finish } = pendingLookUp();
    const early = cache.get('k', lookUp);
    cache.forget(() => false);
    finish('before the change');
    expect(await early).toBe('before the change');
    expect(await cache.get('k', answer(null))).toBeNull();
  });

  it('does not share a running lookup with callers that come after an eviction', async () => {
    const cache = new CredentialCache<string>(TTL_MILLIS);
    const { lookUp, finish } = pendingLookUp();
    const early = cache.get('k', lookUp);
    cache.forget(() => false);
    expect(await cache.get('k', answer('after'))).toBe('after');
    finish('before');
    await early;
    expect(await cache.get('k', answer('again'))).not.toBe('before');
  });

  it('looks up every time if the lifetime is zero', async () => {
    const cache = new CredentialCache<string>(0);
    const lookUp = answer('a');
    await cache.get('k', lookUp);
    await cache.get('k', lookUp);
    expect(lookUp).toHaveBeenCalledTimes(2);
  });

  it('evicts the oldest entry when it is full', async () => {
    const cache = new CredentialCache<string>(TTL_MILLIS, 2);
    for (const key of ['1', '2', '3']) await cache.get(key, answer(key));
    const again = answer('asked');
    expect([await cache.get('2', again), await cache.get('3', again)]).toEqual(['2', '3']);
    expect(await cache.get('1', again)).toBe('asked');
  });
});
