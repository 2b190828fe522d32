import { Figure } from '../../figures/figure';
import { type Payment } from './wallet-queries';
import {
  comparePayments,
  parseRemembered,
  type RememberedPayment,
  withoutNotice,
} from './remembered-payments';

const AT = '2026-11-01T00:30:00.000Z';

/** `late`: paid after its end. */
type State = Payment['status'] | 'late' | 'late and seen';

const payment = (id: string, state: State): Payment => ({
  id,
  status: state === 'late' || state === 'late and seen' ? 'paid' : state,
  provider: 'card_provider',
  amount: Figure.of('20'),
  currency: 'USD',
  paid_at: null,
  ended_at: state === 'pending' || state === 'paid' ? null : AT,
  seen_at: state === 'late and seen' ? AT : null,
  created_at: '2026-11-01T00:00:00.000Z',
  refunded_amount: Figure.zero,
  refunds: [],
  ...(state === 'pending' && {
    checkout: { type: 'redirect', url: 'https://pay.test', expires_at: AT },
  }),
});

/** The kinds of notices after each of the states, with what is remembered from one to the next. */
function kindsAfter(states: State[], openId?: string): (string | undefined)[] {
  let remembered: RememberedPayment[] = [];
  return states.map((state) => {
    const compared = comparePayments(remembered, [payment('pay_1', state)], openId);
    ({ remembered } = compared);
    return compared.notices[0]?.kind;
  });
}

it.each<[State[], (string | undefined)[]]>([
  [
    ['pending', 'paid', 'paid'],
    ['pending', 'paid', 'paid'],
  ],
  [
    ['pending', 'expired', 'late', 'late', 'late and seen'],
    ['pending', undefined, 'late', 'late', undefined],
  ],
  [
    ['pending', 'failed', 'failed', 'late'],
    ['pending', undefined, undefined, 'late'],
  ],
  [['paid'], [undefined]],
  [['late'], ['late']],
  [['late and seen'], [undefined]],
])('tells of a payment that was %j: %j', (states, kinds) => {
  expect(kindsAfter(states)).toEqual(kinds);
});

it('leaves the payment to its page while that is open, and does not tell it again', () => {
  expect(kindsAfter(['pending', 'paid'], 'pay_1')).toEqual([undefined, undefined]);
  expect(kindsAfter(['late'], 'pay_1')).toEqual([undefined]);
  expect(comparePayments([{ id: 'pay_1', isHidden: false }], [payment('pay_1', 'paid')], 'pay_1')).toEqual({
    notices: [],
    remembered: [],
  });
});

it('tells no more of waiting that was hidden, but tells the arrival once', () => {
  const waiting = comparePayments([], [payment('pay_1', 'pending')], undefined);
  const hidden = withoutNotice(waiting.remembered, waiting.notices[0]!);
  expect(comparePayments(hidden, [payment('pay_1', 'pending')], undefined).notices).toEqual([]);
  const arrived = comparePayments(hidden, [payment('pay_1', 'paid')], undefined);
  expect(arrived.notices).toMatchObject([{ kind: 'paid' }]);
  expect(withoutNotice(arrived.remembered, arrived.notices[0]!)).toEqual([]);
});

it('forgets what has ended unpaid', () => {
  const remembered = [{ id: 'pay_1', isHidden: true }];
  expect(comparePayments(remembered, [payment('pay_1', 'expired')], undefined).remembered).toEqual([]);
});

it.each([undefined, '', '{', '7', '[7, null, {"id": "pay_1"}]'])('remembers nothing from %j', (text) => {
  expect(parseRemembered(text)).toEqual([]);
});
