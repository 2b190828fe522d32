import { buffer } from 'node:stream/consumers';
import { type InvoiceSnapshot } from '../documents/document-snapshot';
import { HOSTILE_TEXT } from '../documents/documents.fixture';
import { splitTaxes, type TaxRate } from '../documents/tax';
import { type Refund } from '../payments/payment.entity';
import { invoicePdf } from './invoice-pdf';
import { type DrawnText, readPdf } from './pdf-text.fixture';

const ISSUED = { id: 'doc_1', number: 'INV-2026-000001', issuedAt: new Date('2026-12-31T16:00:00Z') };
const SELLER = {
  name: '北京智算科技有限公司',
  tax_id: '91110108MA01ABCD2X',
  address: '北京市海淀区中关村大街 1 号',
};
const BUYER = { type: 'company', title: '上海某某信息技术有限公司', taxId: '91310000MA1FL0AB3C' } as const;
const REFUND: Refund = {
  id: 'rfd_1',
  paymentId: 'pay_1',
  amountMinor: 100n,
  reason: null,
  status: 'succeeded',
  providerReference: 're_1',
  failure: null,
  orderedBy: 'acct_1',
  createdAt: new Date('2027-01-01T00:00:00Z'),
  endedAt: new Date('2027-01-01T00:00:00Z'),
  nextCheckAt: null,
  claimedUntil: null,
  dueAt: null,
};
const A4 = { width: 595.28, height: 841.89 };
/** Extent of a line above and below its baseline, as a share of the font size. */
const [ASCENT, DESCENT] = [0.88, 0.12];

function snapshotOf(changes: Partial<InvoiceSnapshot> = {}, rates: TaxRate[] = []): InvoiceSnapshot {
  const { totalMinor = 100_305n } = changes;
  return {
    language: 'zh-CN',
    seller: SELLER,
    buyer: BUYER,
    currency: 'CNY',
    lines: [{ description: '账户充值（预付费）', amountMinor: totalMinor }],
    ...splitTaxes(totalMinor, rates),
    totalMinor,
    payment: {
      id: 'pay_1',
      provider: 'messaging_pay_provider',
      reference: '4200002026112112345678901234',
      paidAt: new Date('2026-12-31T15:59:59Z'),
    },
    mailTo: null,
    ...changes,
  };
}

const fileOf = (snapshot: InvoiceSnapshot, refunds: Refund[] = []) =>
  buffer(invoicePdf(ISSUED, snapshot, refunds));
const linesOf = async (snapshot: InvoiceSnapshot, refunds?: Refund[]) =>
  readPdf(await fileOf(snapshot, refunds));
const textOf = (lines: DrawnText[]) => lines.map(({ text }) => text).join('');

function overlaps(one: DrawnText, other: DrawnText): boolean {
  if (one.page !== other.page) return false;
  const isBeside = one.x + one.width <= other.x + 0.01 || other.x + other.width <= one.x + 0.01;
  const bottom = ({ y, size }: DrawnText) => y - DESCENT * size;
  const top = ({ y, size }: DrawnText) => y + ASCENT * size;
  return !isBeside && bottom(one) < top(other) && bottom(other) < top(one);
}

function expectLegible(lines: DrawnText[]): void {
  for (const [index, line] of lines.entries()) {
    expect(lines.slice(index + 1).filter((other) => overlaps(line, other))).toEqual([]);
    expect(line.x).toBeGreaterThanOrEqual(48);
    expect(line.x + line.width).toBeLessThanOrEqual(A4.width - 47.5);
    expect(line.y).toBeGreaterThanOrEqual(24);
    expect(line.y).toBeLessThanOrEqual(A4.height - 48);
  }
}

describe('invoicePdf', () => {
  it('shows title, parties and amounts on one page', async () => {
    const lines = await linesOf(snapshotOf({}, [{ name: '增值税', percent: '6' }]));
    expectLegible(lines);
    expect(new Set(lines.map(({ page }) => page))).toEqual(new Set([1]));
    const texts = lines.map(({ text }) => text);
    for (const text of [
      '形式发票（收款凭证）',
      '本文件为形式发票（收款凭证），由销售方开具，非税务机关监制发票。',
      'INV-2026-000001',
      // 16:00 UTC on 31 December is 1 January in Beijing.
      '2027-01-01',
      '2026-12-31 23:59:59（北京时间）',
      SELLER.name,
      SELLER.tax_id,
      BUYER.title,
      BUYER.taxId,
      '企业单位',
      '不含税金额',
      '¥946.27',
      '增值税（6%）',
      '¥56.78',
      '¥1,003.05',
      '人民币壹仟零叁元零伍分',
      '微信支付',
      '4200002026112112345678901234',
    ])
      expect(texts).toContain(text);
    expect(texts).not.toContain('银行账号');
  });

  it.each([
    ['已全额退款', { amountMinor: 100_305n }, '¥1,003.05'],
    ['已部分退款', { amountMinor: 305n }, '¥3.05'],
    ['退款处理中', { amountMinor: 305n, status: 'pending' }, '¥3.05（退款处理中）'],
  ] as const)('notes %s', async (note, changes, amount) => {
    const createdAt = new Date('2027-01-02T16:00:00Z');
    const failed = { ...REFUND, id: 'rfd_0', status: 'failed', amountMinor: 7n } as const;
    const lines = await linesOf(snapshotOf(), [failed, { ...REFUND, createdAt, ...changes }]);
    expectLegible(lines);
    const texts = lines.map(({ text }) => text);
    for (const text of [note, '退款信息', '2027-01-03 00:00:00（北京时间）', amount])
      expect(texts).toContain(text);
    expect(texts).not.toContain('¥0.07');
  });

  it('keeps the text extractable where the font has ligatures', async () => {
    const payment = { ...snapshotOf().payment, id: 'pay_ffifl' };
    const texts = (await linesOf(snapshotOf({ payment }))).map(({ text }) => text);
    expect(texts).toEqual(expect.arrayContaining(['pay_ffifl', SELLER.name, BUYER.title, '¥1,003.05']));
  });

  it('omits taxes and tax numbers that are absent', async () => {
    const lines = await linesOf(snapshotOf({ buyer: { type: 'personal', title: '张三', taxId: null } }));
    const texts = lines.map(({ text }) => text);
    expect(texts).toContain('个人');
    expect(texts).toContain('合计（小写）');
    expect(texts).not.toContain('不含税金额');
    expect(texts.filter((text) => text === '纳税人识别号')).toHaveLength(1);
  });

  it('is deterministic for an invoice and differs between invoices', async () => {
    const first = await fileOf(snapshotOf());
    expect(first.equals(await fileOf(snapshotOf()))).toBe(true);
    expect(first.equals(await fileOf(snapshotOf({ totalMinor: 100_306n })))).toBe(false);
    expect(first.subarray(0, 5).toString()).toBe('%PDF-');
  });

  it('embeds only the glyphs in use', async () => {
    expect((await fileOf(snapshotOf())).length).toBeLessThan(100_000);
  });

  it('shows a box for missing glyphs and drops direction marks', async () => {
    const lines = await linesOf(snapshotOf({ buyer: { ...BUYER, title: HOSTILE_TEXT } }));
    expectLegible(lines);
    const text = textOf(lines);
    expect(text).toContain('<script>alert("1")</script>');
    expect(text).toContain('X-Injected: 1□ ');
    expect(text).toContain('gnp.exe');
    expect(text).toContain('□ □□ é & □野家');
    expect(text).not.toMatch(/[\u202e\u2066\p{Cc}]/u);
  });

  it('wraps long lines, breaks pages and numbers them', async () => {
    const lines = await linesOf(
      snapshotOf(
        {
          buyer: {
            type: 'company',
            title: '上海超长名称信息技术有限责任公司'.repeat(12),
            taxId: '9'.repeat(20),
          },
          seller: {
            name: '北京智算科技有限责任公司'.repeat(16),
            address: 'W'.repeat(300),
            email: `${'a'.repeat(240)}@example.cn`,
            bank: '中国工商银行'.repeat(33),
            bank_account: '0'.repeat(50),
          },
          totalMinor: 9_223_372_036_854_775_807n,
        },
        Array.from({ length: 10 }, (_, index) => ({
          name: `附加税种名称很长${index}`.repeat(6),
          percent: '12.3456',
        })),
      ),
    );
    expectLegible(lines);
    const pages = new Set(lines.map(({ page }) => page));
    for (const page of pages) expect(textOf(lines)).toContain(`INV-2026-000001  ${page} / ${pages.size}`);
    expect(pages.size).toBeGreaterThan(1);
    expect(textOf(lines.filter(({ text }) => /^W+$/.test(text)))).toHaveLength(300);
  });
});
