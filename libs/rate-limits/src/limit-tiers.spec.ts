import { ConfigError, loadConfig } from '@inference/config';
import { z } from 'zod';
import { limitTierFields } from './limit-tiers';

const read = (tiers: object[]) =>
  loadConfig(z.object(limitTierFields), { MODEL_RATE_LIMIT_TIERS: JSON.stringify(tiers) });
const models = { '*': { rpm: 60 } };

it.each([
  ['of which the later one asks for more', [{ name: 'free' }, { name: 'paid', paid: 20 }]],
  [
    'for much money or for a long time',
    [{ name: 'free' }, { name: 'paid', paid: 20 }, { name: 'old', age_days: 90 }],
  ],
])('takes tiers %s', (_, tiers) => {
  expect(read(tiers.map((tier) => ({ ...tier, models }))).MODEL_RATE_LIMIT_TIERS).toHaveLength(tiers.length);
});

it.each([
  [
    'that no account ever has',
    [{ name: 'paid', paid: 20 }, { name: 'free' }],
    /No account ever has the tier paid: free/,
  ],
  ['that ask for the same', [{ name: 'one' }, { name: 'other' }], /No account ever has the tier one: other/],
  ['of one name', [{ name: 'same' }, { name: 'same', paid: 20 }], /Two tiers have the name same/],
])('refuses tiers %s', (_, tiers, message) => {
  expect(() => read(tiers.map((tier) => ({ ...tier, models })))).toThrow(ConfigError);
  expect(() => read(tiers.map((tier) => ({ ...tier, models })))).toThrow(message);
});
