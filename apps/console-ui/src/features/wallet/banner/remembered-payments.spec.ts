import { Figure } from '../../../figures/figure';
import { type Payment } from '../wallet-queries';
import {
  comparePayments as compareAt,
  parseRemembered,
  type RememberedPayment,
  withoutNotice,
} from './remembered-payments';

const CREATED = '2026-11-01T00:00:00.000Z';
const comparePayments = (remembered: RememberedPayment[], payments: Payment[], openId?: string) =>
  compareAt(remembered, payments, openId, Date.parse(CREATED) + 3_600_000);

const payment = (id: string, status: Payment['status']): Payment => ({
  id,
  status,
  provider: 'card_provider',
  amount: Figure.of('20'),
  currency: 'USD',
  paid_at: null,
  created_at: CREATED,
  refunded_amount: Figure.zero,
  refunds: [],
  ...(status === 'pending' && {
    checkout: { type: 'redirect', url: 'https://pay.test', expires_at: '2026-11-01T00:30:00.000Z' },
  }),
});

/** The kinds of notices after each of the statuses, with what is remembered from one to the next. */
function kindsAfter(statuses: Payment['status'][], openId?: string): (string | undefined)[] {
  let remembered: RememberedPayment[] = [];
  return statuses.map((status) => {
    const compared = comparePayments(remembered, [payment('pay_1', status)], openId);
    ({ remembered } = compared);
    return compared.notices[0]?.kind;
  });
}

it.each<[Payment['status'][], (string | undefined)[]]>([
  [
    ['pending', 'paid', 'paid'],
    ['pending', 'paid', 'paid'],
  ],
  [
    ['pending', 'expired', 'paid'],
    ['pending', undefined, 'late'],
  ],
  [
    ['pending', 'failed', 'failed', 'paid'],
    ['pending', undefined, undefined, 'late'],
  ],
  [['paid'], [undefined]],
  [
    ['expired', 'paid'],
    [undefined, undefined],
  ],
])('tells of a payment that was %j: %j', (statuses, kinds) => {
  expect(kindsAfter(statuses)).toEqual(kinds);
});

it('leaves the payment to its page while that is open, and does not tell it again', () => {
  expect(kindsAfter(['pending', 'paid'], 'pay_1')).toEqual([undefined, undefined]);
  expect(
    comparePayments([{ id: 'pay_1', isEnded: false, isHidden: false }], [payment('pay_1', 'paid')], 'pay_1'),
  ).toEqual({
    notices: [],
    remembered: [],
  });
});

it('tells no more of waiting that was hidden, but tells the arrival once', () => {
  const waiting = comparePayments([], [payment('pay_1', 'pending')]);
  const hidden = withoutNotice(waiting.remembered, waiting.notices[0]!);
  expect(comparePayments(hidden, [payment('pay_1', 'pending')]).notices).toEqual([]);
  const arrived = comparePayments(hidden, [payment('pay_1', 'paid')]);
  expect(arrived.notices).toMatchObject([{ kind: 'paid' }]);
  expect(withoutNotice(arrived.remembered, arrived.notices[0]!)).toEqual([]);
});

it('forgets after two days what was never paid', () => {
  const remembered = [{ id: 'pay_1', isEnded: false, isHidden: false }];
  const at = (hours: number) =>
    compareAt(remembered, [payment('pay_1', 'expired')], undefined, Date.parse(CREATED) + hours * 3_600_000);
  expect(at(47).remembered).toEqual([{ id: 'pay_1', isEnded: true, isHidden: false }]);
  expect(at(49).remembered).toEqual([]);
});

it.each([undefined, '', '{', '7', '[7, null, {"id": "pay_1"}]'])('remembers nothing from %j', (text) => {
  expect(parseRemembered(text)).toEqual([]);
});
