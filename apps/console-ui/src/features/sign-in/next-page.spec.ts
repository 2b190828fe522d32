import { nextPageIn, nextPageInFragment } from './next-page';

describe('the page after a sign-in', () => {
  it('is a page of the console', () => {
    expect(nextPageIn({ next: '/keys?limit=5' })).toEqual({ next: '/keys?limit=5' });
  });

  it.each(['//evil.example', '/\\evil.example', 'https://evil.example', 'javascript:alert(1)', 7, undefined])(
    'is never %j',
    (next) => {
      expect(nextPageIn({ next })).toEqual({});
    },
  );

  it('comes back from a provider in the fragment', () => {
    expect(nextPageInFragment('#return_to=%2Fkeys%3Flimit%3D5')).toBe('/keys?limit=5');
    expect(nextPageInFragment('#challenge=c&return_to=%2Fusage')).toBe('/usage');
    expect(nextPageInFragment('#return_to=%2F%2Fevil.example')).toBeUndefined();
    expect(nextPageInFragment('')).toBeUndefined();
  });
});
