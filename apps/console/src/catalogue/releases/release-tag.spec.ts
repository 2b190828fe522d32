import fc from 'fast-check';
import { compare } from 'semver';
import { hasPrereleasePart, isReleaseTag, sortReleases } from './release-tag';

const number = fc.integer({ min: 0, max: 12 });
const part = fc.oneof(fc.constantFrom('alpha', 'beta', 'rc', 'x-y'), number.map(String));
const tag = fc
  .tuple(number, number, number, fc.array(part, { maxLength: 3 }))
  .map(
    ([major, minor, patch, parts]) =>
      `v${major}.${minor}.${patch}${parts.length ? `-${parts.join('.')}` : ''}`,
  );
const release = fc.record({ tag, prerelease: fc.boolean() });

const order = (...tags: string[]) =>
  sortReleases(tags.map((tag) => ({ tag, prerelease: false }))).map(({ tag }) => tag);

it.each(['v0.0.0', 'v1.2.3', 'v10.20.30', 'v1.2.3-rc.1', 'v1.0.0-alpha-x.7', 'v1.2.3-0'])(
  '%s is a tag',
  (text) => expect(isReleaseTag(text)).toBe(true),
);

it.each([
  ...[
    '',
    'v',
    '1.2.3',
    'v1.2',
    'v1',
    'V1.2.3',
    'vv1.2.3',
    'v1.2.3.4',
    'v01.2.3',
    'v1.2.3-01',
    'v1.2.3-',
    'v1.2.3-a..b',
  ],
  ...[
    'v1.2.3+build',
    'v1.2.3-rc.1+build',
    ' v1.2.3',
    'v1.2.3 ',
    'v1.2.3\n',
    '=v1.2.3',
    'v1.2.x',
    'nightly',
    'v-1.2.3',
  ],
  ...['v9007199254740993.0.0', `v1.2.3-${'a'.repeat(300)}`, 'v1.2.3\0', 'v1.2.3/..'],
])('%j is none', (text) => expect(isReleaseTag(text)).toBe(false));

it('recognises a prerelease by its tag', () => {
  expect(['v1.0.0-rc.1', 'v1.0.0-0', 'v1.0.0'].map(hasPrereleasePart)).toEqual([true, true, false]);
});

it('sorts by version and not by text, prereleases last', () => {
  expect(order('v1.9.9', 'v1.10.0', 'v1.2.30')).toEqual(['v1.10.0', 'v1.9.9', 'v1.2.30']);
  expect(order('v2.0.0-rc.2', 'v1.0.0', 'v2.0.0-rc.10', 'v2.0.0-beta')).toEqual([
    'v1.0.0',
    'v2.0.0-rc.10',
    'v2.0.0-rc.2',
    'v2.0.0-beta',
  ]);
});

it('treats a release with the prerelease flag as a prerelease, whatever its tag', () => {
  const sorted = sortReleases([
    { tag: 'v9.0.0', prerelease: true },
    { tag: 'v1.0.0', prerelease: false },
  ]);
  expect(sorted[0]!.tag).toBe('v1.0.0');
});

it('keeps the order of releases with the same tag', () => {
  const [admins, other] = [
    { tag: 'v1.0.0', prerelease: false },
    { tag: 'v1.0.0', prerelease: false },
  ];
  expect(sortReleases([admins, other])[0]).toBe(admins);
  expect(sortReleases([other, admins])[0]).toBe(other);
});

it('puts the greatest version first, whatever the input order', () => {
  fc.assert(
    fc.property(fc.array(release, { minLength: 1, maxLength: 8 }), (releases) => {
      const [first] = sortReleases(releases);
      const stable = releases.filter(({ tag, prerelease }) => !prerelease && !tag.includes('-'));
      const rivals = stable.length > 0 ? stable : releases;
      expect(rivals).toContainEqual(first);
      for (const { tag } of rivals) expect(compare(first!.tag, tag)).toBeGreaterThanOrEqual(0);
    }),
  );
});
