import { nextPageIn } from './next-page';

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
});
