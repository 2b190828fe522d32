import { hasRole, rolesUpTo } from './workspace-queries';

it('lets a role do what lower roles may', () => {
  expect(hasRole('viewer', 'editor')).toBe(false);
  expect(hasRole('editor', 'editor')).toBe(true);
  expect(hasRole('admin', 'editor')).toBe(true);
});

it('offers no role above the own one', () => {
  expect(rolesUpTo('viewer')).toEqual(['viewer']);
  expect(rolesUpTo('editor')).toEqual(['viewer', 'editor']);
  expect(rolesUpTo('admin')).toEqual(['viewer', 'editor', 'admin']);
});
