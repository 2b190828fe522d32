import { Figure } from '../../figures/figure';
import { lookupRows, modelRows } from './download-queries';

const count = (text: string) => Figure.of(text);
const counts = (downloads: string) => ({
  downloads: count(downloads),
  accounts: count('1'),
  links: count('9'),
});

it('lists the versions of a model below it, unless there is only one', () => {
  const rows = modelRows({
    models: [
      {
        slug: 'a',
        ...counts('3'),
        versions: [
          { version: '2.0', ...counts('2') },
          { version: '1.0', ...counts('1') },
        ],
      },
      { slug: 'b', ...counts('1'), versions: [{ version: '1.0', ...counts('1') }] },
    ],
  });
  expect(rows.map(({ slug, version, downloads }) => [slug, version, downloads.toString()])).toEqual([
    ['a', undefined, '3'],
    ['a', '2.0', '2'],
    ['a', '1.0', '1'],
    ['b', '1.0', '1'],
  ]);
});

it('lists the releases of a component below it, unless there is only one', () => {
  const releases = [
    { tag_name: 'v2', lookups: count('4') },
    { tag_name: 'v1', lookups: count('1') },
  ];
  const rows = lookupRows({
    components: [
      { component: 'engine', lookups: count('5'), releases },
      { component: 'memo', lookups: count('1'), releases: releases.slice(1) },
    ],
  });
  expect(rows.map(({ component, tag, lookups }) => [component, tag, lookups.toString()])).toEqual([
    ['engine', undefined, '5'],
    ['engine', 'v2', '4'],
    ['engine', 'v1', '1'],
    ['memo', 'v1', '1'],
  ]);
});
