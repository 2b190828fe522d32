import fc from 'fast-check';
import { formatChinaTime } from './alipay-trade';
import { FakeAlipay } from './alipay.fixture';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const PAYMENT_ID = 'pay_1234567890';
const PROOF = {
  reference: '2026060822001004330000121536',
  amountMinor: 12_345n,
  currency: 'CNY',
  paidAt: new Date('2026-06-08T02:34:56Z'),
  payer: { name: null, email: null },
};

describe('Alipay notification', () => {
  let alipay: FakeAlipay;

  beforeAll(async () => {
    alipay = await new FakeAlipay().start();
  });
  afterAll(() => alipay.stop());

  const paid = { about: 'payment', paymentId: PAYMENT_ID, state: { status: 'paid', proof: PROOF } };
  const refusal = (reason: string) => ({ reason });
  const encoded = (fields: Record<string, string>) => new URLSearchParams(fields).toString();
  const at = (offsetMs: number) => ({ notify_time: formatChinaTime(new Date(Date.now() + offsetMs)) });

  it('is a proof when it is signed', async () => {
    expect(await alipay.verify(alipay.notification())).toEqual(paid);
    expect(await alipay.verify(alipay.notification({ trade_status: 'TRADE_FINISHED' }))).toEqual(paid);
  });

  it('accepts every valid form encoding', async () => {
    const fields = alipay.notification();
    const wholly = (text: string) =>
      [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
    const percent = Object.entries(fields).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
    expect(encoded(fields)).toContain('+100%25%2B');
    expect(percent.join('&')).toContain('%20100%25%2B');
    expect(await alipay.verify(percent.join('&'))).toEqual(paid);
    expect(
      await alipay.verify(
        Object.entries(fields)
          .map((pair) => pair.map(wholly).join('='))
          .reverse()
          .join('&'),
      ),
    ).toEqual(paid);
  });

  it('is rejected with a valid SHA-1 signature', async () => {
    const weak = alipay.notification({ sign_type: 'RSA' }, 'RSA-SHA1');
    await expect(alipay.verify(weak)).rejects.toMatchObject(refusal('signature'));
    await expect(alipay.verify({ ...weak, sign_type: 'RSA2' })).rejects.toMatchObject(refusal('signature'));
    const { sign_type: _none, ...silent } = alipay.notification();
    await expect(alipay.verify(silent)).rejects.toMatchObject(refusal('signature'));
    for (const type of ['rsa2', 'RSA2 ', 'MD5', 'toString', ''])
      await expect(alipay.verify({ ...weak, sign_type: type })).rejects.toMatchObject(refusal('signature'));
    for (const body of [`sign_type=RSA2&${encoded(weak)}`, `${encoded(weak)}&sign_type=RSA2`])
      await expect(alipay.verify(body)).rejects.toMatchObject(refusal('signature'));
  });

  it.each([
    ['a parameter twice', (body: string) => `${body}&total_amount=1`],
    ['the same parameter twice', (body: string) => `${body}&total_amount=123.45`],
    ['another charset', (body: string) => body.replace('charset=utf-8', 'charset=gbk')],
    ['a name that is none', (body: string) => `${body}&a-b=1`],
    ['many parameters', (body: string) => body + Array.from({ length: 200 }, (_, n) => `&p${n}=`).join('')],
    ['bytes that are no text', (body: string) => Buffer.concat([Buffer.from(body), Buffer.from([0xff])])],
  ])('is malformed with %s', async (_what, change) => {
    const body = Buffer.from(change(encoded(alipay.notification())));
    await expect(alipay.provider.verify({ headers: {}, body })).rejects.toMatchObject(refusal('malformed'));
  });

  it.each([
    ['nothing', ''],
    ['JSON', '{"sign_type":"RSA2"}'],
    ['a sign type alone', 'sign_type=RSA2'],
    ['an empty signature', 'sign_type=RSA2&sign='],
  ])('is rejected with %s', async (_what, body) => {
    await expect(alipay.verify(body)).rejects.toMatchObject(refusal('signature'));
  });

  it("is rejected when a parameter is hidden in another one's value", async () => {
    const refundedInFull = alipay.notification({
      trade_status: 'TRADE_CLOSED',
      receipt_amount: '123.45',
      refund_fee: '123.45',
    });
    const { refund_fee, ...rest } = refundedInFull;
    const hidden = { ...rest, receipt_amount: `123.45&refund_fee=${refund_fee}` };
    await expect(alipay.verify(hidden)).rejects.toMatchObject(refusal('signature'));
  });

  it('is rejected after any change', async () => {
    const fields = alipay.notification();
    const names = Object.keys(fields)
      .filter((name) => name !== 'sign' && name !== 'sign_type')
      .sort();
    const text = fc.string({ unit: 'grapheme', maxLength: 20 });
    const changed = fc.oneof(
      fc
        .record({ name: fc.constantFrom(...names), value: text })
        .filter(({ name, value }) => fields[name] !== value)
        .map(({ name, value }) => ({ ...fields, [name]: value })),
      fc.constantFrom(...names).map((name) => {
        const { [name]: _gone, ...rest } = fields;
        return rest;
      }),
      fc
        .record({ name: fc.stringMatching(/^[a-z_]{1,12}$/), value: text })
        .filter(({ name }) => !(name in fields))
        .map(({ name, value }) => ({ ...fields, [name]: value })),
      fc
        .record({ first: fc.integer({ min: 0, max: names.length - 2 }) })
        .map(({ first }) => merged(fields, names[first]!, names[first + 1]!)),
      // The last character before the padding has unused bits.
      fc
        .record({ at: fc.nat(fields.sign!.length - 4), to: fc.constantFrom('A', 'b', '7', '+') })
        .filter(({ at, to }) => fields.sign![at] !== to)
        .map(({ at, to }) => ({
          ...fields,
          sign: fields.sign!.slice(0, at) + to + fields.sign!.slice(at + 1),
        })),
    );
    await fc.assert(
      fc.asyncProperty(changed, async (forged) => {
        await expect(alipay.verify(forged)).rejects.toMatchObject({
          reason: expect.stringMatching(/^(signature|malformed)$/),
        });
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    [4 * MINUTE_MS, 'taken'],
    [6 * MINUTE_MS, 'refused'],
    [-24.5 * HOUR_MS, 'taken'],
    [-25.1 * HOUR_MS, 'refused'],
    [-48 * HOUR_MS, 'refused'],
  ])('a notification with a timestamp %d ms from now is %s', async (offset, outcome) => {
    const notified = alipay.verify(alipay.notification(at(offset)));
    if (outcome === 'taken') expect(await notified).toEqual(paid);
    else await expect(notified).rejects.toMatchObject(refusal('signature'));
  });

  it.each([undefined, '', 'yesterday', '2026-06-08T10:34:56Z'])(
    'a notification with the timestamp %p is rejected',
    async (time) => {
      await expect(alipay.verify(alipay.notification({ notify_time: time }))).rejects.toMatchObject(
        refusal('signature'),
      );
    },
  );

  it.each([
    [{ app_id: '2021000000000000' }],
    [{ app_id: undefined }],
    [{ seller_id: '2088000000000000' }],
    [{ seller_id: undefined }],
  ])('a notification for another merchant (%p) is rejected', async (changes) => {
    await expect(alipay.verify(alipay.notification(changes))).rejects.toMatchObject(refusal('merchant'));
  });

  it('is checked in this order: signature, time, merchant', async () => {
    const late = alipay.notification({ ...at(-48 * HOUR_MS), app_id: 'other' });
    await expect(alipay.verify(late)).rejects.toThrow('notify_time');
    const forged = { ...late, sign: `${late.sign}`, subject: 'x' };
    await expect(alipay.verify(forged)).rejects.toThrow('not signed');
  });

  it.each([
    [{ total_amount: '1.234' }],
    [{ total_amount: undefined }],
    [{ gmt_payment: undefined }],
    [{ trade_no: undefined }],
    [{ out_trade_no: undefined }],
  ])('a notification with a missing field (%p) is malformed', async (changes) => {
    await expect(alipay.verify(alipay.notification(changes))).rejects.toMatchObject(refusal('malformed'));
  });

  it.each([
    [{ notify_type: 'batch_refund_notify' }, 'other', null],
    [{ trade_status: 'TRADE_CLOSED', gmt_refund: '2026-06-08 11:00:00.123' }, 'refund', null],
    [{ trade_status: 'TRADE_CLOSED', refund_fee: '123.45' }, 'refund', 12_345n],
    [{ trade_status: 'TRADE_CLOSED', refund_fee: 'much' }, 'refund', null],
  ])('is for a person (%p)', async (changes, kind, refundedMinor) => {
    const verified = await alipay.verify(alipay.notification(changes));
    expect(verified).toMatchObject({ about: 'event', event: { kind, refundedMinor } });
    expect(verified.about === 'event' && verified.event.content).not.toContain('"sign"');
  });

  it.each([[{ trade_status: 'WAIT_BUYER_PAY' }], [{ trade_status: 'TRADE_WHATEVER' }]])(
    'is irrelevant (%p)',
    async (changes) => {
      expect(await alipay.verify(alipay.notification(changes))).toEqual({ about: 'nothing' });
    },
  );

  it('still proves the payment after a partial refund', async () => {
    const partly = { refund_fee: '1.00', gmt_refund: '2026-06-08 11:00:00.123' };
    expect(await alipay.verify(alipay.notification(partly))).toEqual({
      ...paid,
      event: expect.objectContaining({ kind: 'refund', refundedMinor: 100n }) as unknown,
    });
    expect(await alipay.verify(alipay.notification({ refund_fee: '0.00' }))).toEqual(paid);
  });

  it('reports a closed trade, with and without a buyer', async () => {
    const closed = { trade_status: 'TRADE_CLOSED', gmt_payment: undefined };
    const nobody = { buyer_id: undefined, buyer_logon_id: undefined };
    expect(await alipay.verify(alipay.notification(closed))).toMatchObject({ state: { status: 'failed' } });
    expect(await alipay.verify(alipay.notification({ ...closed, ...nobody }))).toMatchObject({
      state: { status: 'expired' },
    });
  });
});

/** Moves a parameter into the value of the previous one; the signed text stays the same. */
function merged(fields: Record<string, string>, first: string, second: string): Record<string, string> {
  const { [second]: hidden, ...rest } = fields;
  return { ...rest, [first]: `${rest[first]}&${second}=${hidden}` };
}
