import { linkErrorKey } from './text-keys';

it('has a text for every way in which linking fails', () => {
  expect(linkErrorKey('')).toBeUndefined();
  expect(linkErrorKey('#error=identity_taken')).toBe('link.taken');
  expect(linkErrorKey('#error=something_new')).toBe('link.refused');
});
