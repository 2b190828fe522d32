import { Figure } from '../../figures/figure';
import { stateOf, timeLeft } from './wallet-queries';

describe('the state of a payment', () => {
  it.each([
    ['pending', '0', 'pending'],
    ['paid', '0', 'paid'],
    ['paid', '0.01', 'partlyRefunded'],
    ['paid', '20.00', 'refunded'],
  ] as const)('%s with %s given back is %s', (status, refunded, state) => {
    const payment = { status, amount: Figure.of('20'), refunded_amount: Figure.of(refunded) };
    expect(stateOf(payment)).toBe(state);
  });
});

describe('the time left', () => {
  const now = Date.parse('2026-01-31T12:00:00Z');

  it.each([
    ['2026-01-31T12:04:05Z', '4:05'],
    ['2026-01-31T12:00:00.2Z', '0:01'],
    ['2026-01-31T13:02:03Z', '1:02:03'],
    ['2026-01-31T12:00:00Z', undefined],
    ['2026-01-31T11:59:00Z', undefined],
  ])('until %s is %s', (until, left) => {
    expect(timeLeft(until, now)).toBe(left);
  });
});
