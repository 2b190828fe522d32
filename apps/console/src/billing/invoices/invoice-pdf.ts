import {
  type InvoiceSnapshot,
  type RefundState,
  refundStateOf,
  shownRefunds,
} from '../documents/document-snapshot';
import { type IssuedDocument } from '../documents/documents.repository';
import {
  formatMinorAmount,
  formatSiteDate,
  formatSiteTime,
  PROVIDER_DISPLAY_NAMES,
} from '../documents/print-formats';
import { type Refund } from '../payments/payment.entity';
import { type Cell, PdfLayout } from './pdf-layout';

const TITLE = '形式发票（收款凭证）';
const NOTICE = '本文件为形式发票（收款凭证），由销售方开具，非税务机关监制发票。';
const TYPES: Record<InvoiceSnapshot['buyer']['type'], string> = { company: '企业单位', personal: '个人' };
const REFUND_NOTES: Record<RefundState, string> = {
  pending: '退款处理中',
  partial: '已部分退款',
  full: '已全额退款',
};
const LABEL_WIDTH = 78;
const COLUMN_GAP = 16;
const AMOUNT_WIDTH = 150;

/** Label and value. */
type Fact = [string, string];

const yuan = (minor: bigint) => `¥${formatMinorAmount(minor)}`;

/** Drops facts without a value. */
const facts = (all: [string, string | null | undefined][]): Fact[] =>
  all.filter((fact): fact is Fact => fact[1] != null);

function buyerFacts({ buyer }: InvoiceSnapshot): Fact[] {
  return facts([
    ['名称', buyer.title],
    ['纳税人识别号', buyer.taxId],
    ['类型', TYPES[buyer.type]],
  ]);
}

function sellerFacts({ seller }: InvoiceSnapshot): Fact[] {
  return facts([
    ['名称', seller.name],
    ['纳税人识别号', seller.tax_id],
    ['地址', seller.address],
    ['电话', seller.phone],
    ['电子邮箱', seller.email],
    ['开户银行', seller.bank],
    ['银行账号', seller.bank_account],
  ]);
}

function writeHead(
  layout: PdfLayout,
  { number, issuedAt }: IssuedDocument,
  { payment }: InvoiceSnapshot,
  refundState: RefundState | null,
): void {
  const whole = { x: 0, width: layout.width, align: 'center' } as const;
  layout.row([{ ...whole, text: TITLE, size: 20, bold: true }]);
  layout.row([{ ...whole, text: NOTICE, size: 9 }]);
  if (refundState) layout.row([{ ...whole, text: REFUND_NOTES[refundState], size: 12, bold: true }]);
  layout.rule(1.5);
  writeFacts(layout, [
    ['编号', number],
    ['开具日期', formatSiteDate(issuedAt, 'cn')],
    ['付款单号', payment.id],
  ]);
  layout.space(8);
}

function factCells([label, value]: Fact, x: number, width: number): Cell[] {
  return [
    { text: label, x, width: LABEL_WIDTH, grey: true },
    { text: value, x: x + LABEL_WIDTH, width: width - LABEL_WIDTH },
  ];
}

function writeFacts(layout: PdfLayout, lines: Fact[]): void {
  for (const line of lines) layout.row(factCells(line, 0, layout.width), 3);
}

/** Writes buyer and seller in two columns. */
function writeParties(layout: PdfLayout, snapshot: InvoiceSnapshot): void {
  const width = (layout.width - COLUMN_GAP) / 2;
  const second = width + COLUMN_GAP;
  layout.row([
    { text: '购买方', x: 0, width, size: 11, bold: true },
    { text: '销售方', x: second, width, size: 11, bold: true },
  ]);
  const [buyer, seller] = [buyerFacts(snapshot), sellerFacts(snapshot)];
  for (let index = 0; index < Math.max(buyer.length, seller.length); index++) {
    const [left, right] = [buyer[index], seller[index]];
    layout.row(
      [...(left ? factCells(left, 0, width) : []), ...(right ? factCells(right, second, width) : [])],
      3,
    );
  }
  layout.space(12);
}

function writeAmounts(layout: PdfLayout, { lines, netMinor, taxes, totalMinor }: InvoiceSnapshot): void {
  const column = { x: layout.width - AMOUNT_WIDTH, width: AMOUNT_WIDTH, align: 'right' } as const;
  const line = (text: string, amount: string, bold = false) =>
    layout.row([
      { text, x: 0, width: layout.width - AMOUNT_WIDTH - COLUMN_GAP, bold },
      { ...column, text: amount, bold },
    ]);
  layout.rule(1);
  line('项目', '金额（人民币）', true);
  layout.rule();
  for (const { description, amountMinor } of lines) line(description, yuan(amountMinor));
  layout.rule();
  if (taxes.length > 0) {
    line('不含税金额', yuan(netMinor));
    for (const { name, percent, amountMinor } of taxes) line(`${name}（${percent}%）`, yuan(amountMinor));
    layout.rule();
  }
  const total = taxes.length > 0 ? '价税合计' : '合计';
  line(`${total}（小写）`, yuan(totalMinor), true);
  layout.row([
    { text: `${total}（大写）`, x: 0, width: 110, bold: true },
    {
      text: `人民币${formatChineseAmount(totalMinor)}`,
      x: 110,
      width: layout.width - 110,
      align: 'right',
      bold: true,
    },
  ]);
  layout.rule(1);
  layout.space(12);
}

function writeRefunds(layout: PdfLayout, refunds: Refund[]): void {
  layout.space(8);
  layout.row([{ text: '退款信息', x: 0, width: layout.width, size: 11, bold: true }]);
  for (const { createdAt, amountMinor, status } of refunds)
    writeFacts(layout, [
      ['退款时间', `${formatSiteTime(createdAt, 'cn')}（北京时间）`],
      ['退款金额', `${yuan(amountMinor)}${status === 'pending' ? `（${REFUND_NOTES.pending}）` : ''}`],
    ]);
}

/** Renders an invoice, and the refunds of its payment until now, as PDF. The same content yields the same bytes. */
export function invoicePdf(
  issued: IssuedDocument,
  snapshot: InvoiceSnapshot,
  refunds: Refund[],
): PDFKit.PDFDocument {
  const { payment, totalMinor } = snapshot;
  const refundState = refundStateOf(totalMinor, refunds);
  const layout = new PdfLayout({
    title: `${TITLE}${issued.number}`,
    footer: issued.number,
    createdAt: issued.issuedAt,
  });
  writeHead(layout, issued, snapshot, refundState);
  writeParties(layout, snapshot);
  writeAmounts(layout, snapshot);
  layout.row([{ text: '付款信息', x: 0, width: layout.width, size: 11, bold: true }]);
  writeFacts(layout, [
    ['付款方式', PROVIDER_DISPLAY_NAMES['zh-CN'][payment.provider]],
    ['付款时间', `${formatSiteTime(payment.paidAt, 'cn')}（北京时间）`],
    ['交易号', payment.reference],
  ]);
  if (refundState) writeRefunds(layout, shownRefunds(refunds));
  return layout.end();
}

const DIGITS = '零壹贰叁肆伍陆柒捌玖';
const PLACES = ['', '拾', '佰', '仟'];
const TEN_THOUSAND = 10_000n;
const HUNDRED_MILLION = 100_000_000n;
const MINOR_PER_UNIT = 100n;

const digit = (value: bigint) => DIGITS[Number(value)]!;

/** A number below ten thousand, without a leading 零. */
function fourDigits(value: bigint): string {
  let text = '';
  let isZeroDue = false;
  for (let place = 3; place >= 0; place--) {
    const figure = (value / 10n ** BigInt(place)) % 10n;
    if (figure === 0n) {
      isZeroDue = text !== '';
      continue;
    }
    text += `${isZeroDue ? '零' : ''}${digit(figure)}${PLACES[place]}`;
    isZeroDue = false;
  }
  return text;
}

/** Joins two parts by the unit's name, with a 零 if the lower part lacks its highest place. */
function joined(value: bigint, unit: bigint, name: string): string {
  const rest = value % unit;
  const gap = rest !== 0n && rest < unit / 10n ? '零' : '';
  return `${wholeNumber(value / unit)}${name}${gap}${wholeNumber(rest)}`;
}

function wholeNumber(value: bigint): string {
  if (value >= HUNDRED_MILLION) return joined(value, HUNDRED_MILLION, '亿');
  if (value >= TEN_THOUSAND) return joined(value, TEN_THOUSAND, '万');
  return fourDigits(value);
}

/**
 * Formats an amount in fen in Chinese financial numerals (大写), without the prefix 人民币: 壹仟零壹元整, 叁元零伍分,
 * 肆元伍角整. It ends in 整 unless there are fen.
 */
export function formatChineseAmount(fen: bigint): string {
  const yuan = fen / MINOR_PER_UNIT;
  const jiao = (fen / 10n) % 10n;
  const rest = fen % 10n;
  if (fen === 0n) return '零元整';
  const whole = yuan === 0n ? '' : `${wholeNumber(yuan)}元`;
  const tenths = jiao === 0n ? '' : `${digit(jiao)}角`;
  if (rest === 0n) return `${whole}${tenths}整`;
  const gap = whole !== '' && jiao === 0n ? '零' : '';
  return `${whole}${tenths}${gap}${digit(rest)}分`;
}
