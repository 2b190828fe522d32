import { Figure } from '../../figures/figure';
import { type Proof, proofStateOf } from './usage-queries';

const AGREED: Proof = {
  from: '2026-03-01T00:00:00.000Z',
  to: '2026-03-02T00:00:00.000Z',
  currency: 'USD',
  usage: Figure.of('1'),
  uncompared_usage: Figure.zero,
  transactions: Figure.of('1'),
  transactions_difference: Figure.zero,
  usage_usd: Figure.of('1'),
  router_cost_state: 'compared',
  router_cost_usd: Figure.of('1'),
  router_cost_difference_usd: Figure.zero,
};
const PICO = Figure.of('0.000000000001');

it.each([
  ['agrees', {}],
  ['differs', { transactions_difference: PICO }],
  ['differs', { router_cost_difference_usd: PICO.negated() }],
  ['differs', { transactions_difference: PICO, router_cost_usd: null, router_cost_difference_usd: null }],
  ['partly', { router_cost_usd: null, router_cost_difference_usd: null }],
  ['open', { from: null, to: null }],
] as const)('%s: %j', (state, change) => {
  expect(proofStateOf({ ...AGREED, ...change })).toBe(state);
});
