import { amountText } from '../documents/amount-text';
import { type Issued } from '../documents/document';
import { PROVIDER_NAMES } from '../documents/provider-names';
import { siteDate, siteTime } from '../documents/site-time';
import { type InvoiceSnapshot } from '../documents/snapshot';
import { chineseAmount } from './chinese-amount';
import { type Cell, InvoiceSheet } from './invoice-sheet';

const TITLE = '形式发票（收款凭证）';
const NOTICE = '本文件为形式发票（收款凭证），由销售方开具，非税务机关监制发票。';
const TYPES: Record<InvoiceSnapshot['buyer']['type'], string> = { company: '企业单位', personal: '个人' };
const LABEL_WIDTH = 78;
const COLUMN_GAP = 16;
const AMOUNT_WIDTH = 150;

/** Label and value. */
type Fact = [string, string];

const yuan = (minor: bigint) => `¥${amountText(minor)}`;

/** Only what there is to say. */
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

function writeHead(sheet: InvoiceSheet, { number, issuedAt }: Issued, { payment }: InvoiceSnapshot): void {
  const whole = { x: 0, width: sheet.width, align: 'center' } as const;
  sheet.row([{ ...whole, text: TITLE, size: 20, bold: true }]);
  sheet.row([{ ...whole, text: NOTICE, size: 9 }]);
  sheet.rule(1.5);
  writeFacts(sheet, [
    ['编号', number],
    ['开具日期', siteDate(issuedAt, 'cn')],
    ['付款单号', payment.id],
  ]);
  sheet.space(8);
}

function factCells([label, value]: Fact, x: number, width: number): Cell[] {
  return [
    { text: label, x, width: LABEL_WIDTH, grey: true },
    { text: value, x: x + LABEL_WIDTH, width: width - LABEL_WIDTH },
  ];
}

function writeFacts(sheet: InvoiceSheet, lines: Fact[]): void {
  for (const line of lines) sheet.row(factCells(line, 0, sheet.width), 3);
}

/** Beside each other, row by row. */
function writeParties(sheet: InvoiceSheet, snapshot: InvoiceSnapshot): void {
  const width = (sheet.width - COLUMN_GAP) / 2;
  const second = width + COLUMN_GAP;
  sheet.row([
    { text: '购买方', x: 0, width, size: 11, bold: true },
    { text: '销售方', x: second, width, size: 11, bold: true },
  ]);
  const [buyer, seller] = [buyerFacts(snapshot), sellerFacts(snapshot)];
  for (let index = 0; index < Math.max(buyer.length, seller.length); index++) {
    const [left, right] = [buyer[index], seller[index]];
    sheet.row(
      [...(left ? factCells(left, 0, width) : []), ...(right ? factCells(right, second, width) : [])],
      3,
    );
  }
  sheet.space(12);
}

function writeAmounts(sheet: InvoiceSheet, { lines, netMinor, taxes, totalMinor }: InvoiceSnapshot): void {
  const column = { x: sheet.width - AMOUNT_WIDTH, width: AMOUNT_WIDTH, align: 'right' } as const;
  const line = (text: string, amount: string, bold = false) =>
    sheet.row([
      { text, x: 0, width: sheet.width - AMOUNT_WIDTH - COLUMN_GAP, bold },
      { ...column, text: amount, bold },
    ]);
  sheet.rule(1);
  line('项目', '金额（人民币）', true);
  sheet.rule();
  for (const { description, amountMinor } of lines) line(description, yuan(amountMinor));
  sheet.rule();
  if (taxes.length > 0) {
    line('不含税金额', yuan(netMinor));
    for (const { name, percent, amountMinor } of taxes) line(`${name}（${percent}%）`, yuan(amountMinor));
    sheet.rule();
  }
  const total = taxes.length > 0 ? '价税合计' : '合计';
  line(`${total}（小写）`, yuan(totalMinor), true);
  sheet.row([
    { text: `${total}（大写）`, x: 0, width: 110, bold: true },
    {
      text: `人民币${chineseAmount(totalMinor)}`,
      x: 110,
      width: sheet.width - 110,
      align: 'right',
      bold: true,
    },
  ]);
  sheet.rule(1);
  sheet.space(12);
}

/** An invoice as PDF, the same bytes for the same invoice. Whoever reads the stream decides how fast. */
export function invoicePdf(issued: Issued, snapshot: InvoiceSnapshot): PDFKit.PDFDocument {
  const { payment } = snapshot;
  const sheet = new InvoiceSheet({
    title: `${TITLE}${issued.number}`,
    footer: issued.number,
    createdAt: issued.issuedAt,
  });
  writeHead(sheet, issued, snapshot);
  writeParties(sheet, snapshot);
  writeAmounts(sheet, snapshot);
  sheet.row([{ text: '付款信息', x: 0, width: sheet.width, size: 11, bold: true }]);
  writeFacts(sheet, [
    ['付款方式', PROVIDER_NAMES['zh-CN'][payment.provider]],
    ['付款时间', `${siteTime(payment.paidAt, 'cn')}（北京时间）`],
    ['交易号', payment.reference],
  ]);
  return sheet.end();
}
