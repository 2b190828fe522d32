import { Figure } from '../../figures/figure';
import { type ApiKey } from './key-queries';
import { chosenKeys, keyViewIn } from './key-view';

const key = (name: string, more: Partial<ApiKey> = {}): ApiKey => ({
  id: `key_${name}`,
  kind: 'api',
  created_by: { kind: 'person', id: 'acct_1', name: null },
  rotated_at: null,
  rotated_by: null,
  name,
  prefix: 'bfvk-abc',
  created_at: '2026-01-01T00:00:00Z',
  last_used_at: null,
  spend_limit: null,
  allowed_models: null,
  reports_cost: true,
  suspension: null,
  description: '',
  tags: [],
  status: 'active',
  disabled: false,
  expires_at: null,
  former_secret_ends_at: null,
  unused: false,
  allowed_ips: null,
  rpm: null,
  tpm: null,
  max_concurrency: null,
  period: 'total',
  spent_in_period: Figure.zero,
  period_ends_at: null,
  spent: Figure.zero,
  spent_30_days: Figure.zero,
  ...more,
});

const KEYS = [
  key('Build 10', { spent_30_days: Figure.of('0.1') }),
  key('build 9', { last_used_at: '2026-02-01T00:00:00Z', allowed_models: ['sandbox-chat'] }),
  key('生产环境', { prefix: 'bfvk-XYZ', spent_30_days: Figure.of('2') }),
];
const namesOf = (search: object) => chosenKeys([...KEYS], keyViewIn(search as never)).map(({ name }) => name);

describe('the keys that an address chooses', () => {
  it('are all of them, newest first, without a choice', () => {
    expect(namesOf({})).toEqual(['Build 10', 'build 9', '生产环境']);
    expect(namesOf({ q: ' ', sort: 'nothing', page: -1 })).toHaveLength(3);
  });

  it.each([
    ['BUILD', ['Build 10', 'build 9']],
    ['build 9', ['build 9']],
    [10, ['Build 10']],
    ['chat', ['build 9']],
    ['生产', ['生产环境']],
    ['bfvk-XYZ-the-rest-of-a-secret', ['生产环境']],
    ['nothing of this', []],
  ])('have every word of %s', (q, names) => {
    expect(namesOf({ q })).toEqual(names);
  });

  it.each([
    ['name', ['build 9', 'Build 10', '生产环境']],
    ['used', ['build 9', 'Build 10', '生产环境']],
    ['spent', ['生产环境', 'Build 10', 'build 9']],
  ])('are ordered by %s', (sort, names) => {
    expect(namesOf({ sort })).toEqual(names);
  });
});
