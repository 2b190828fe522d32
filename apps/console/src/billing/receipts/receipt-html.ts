import { createHash } from 'node:crypto';
import { type Site } from '@inference/config';
import { type Language } from '../../accounts/languages';
import { escapeHtml } from '../../notifications/mail/templates/message';
import {
  type ReceiptSnapshot,
  type RefundState,
  refundStateOf,
  shownRefunds,
} from '../documents/document-snapshot';
import { type IssuedDocument } from '../documents/documents.repository';
import {
  formatMinorAmount,
  formatSiteTime,
  PROVIDER_DISPLAY_NAMES,
  toPrintableLine,
} from '../documents/print-formats';
import { type Refund } from '../payments/payment.entity';

interface ReceiptTexts {
  receipt: string;
  number: string;
  issuedAt: string;
  paidAt: string;
  seller: string;
  buyer: string;
  account: string;
  taxId: string;
  phone: string;
  bank: string;
  bankAccount: string;
  description: string;
  amount: string;
  net: string;
  total: string;
  /** Heading of the table of payment facts. */
  payment: string;
  method: string;
  reference: string;
  paymentId: string;
  /** Heading of the table of refunds. */
  refunds: string;
  /** Note on the receipt of a payment that was given back. */
  refundState: Record<RefundState, string>;
}

const EN: ReceiptTexts = {
  receipt: 'Receipt',
  number: 'Receipt number',
  issuedAt: 'Issued',
  paidAt: 'Paid',
  seller: 'From',
  buyer: 'Received from',
  account: 'Account',
  taxId: 'Tax ID',
  phone: 'Phone',
  bank: 'Bank',
  bankAccount: 'Bank account',
  description: 'Description',
  amount: 'Amount',
  net: 'Net',
  total: 'Total paid',
  payment: 'Payment',
  method: 'Method',
  reference: 'Transaction',
  paymentId: 'Payment number',
  refunds: 'Refunds',
  refundState: { pending: 'Refund in progress', partial: 'Partly refunded', full: 'Refunded in full' },
};

const ZH: ReceiptTexts = {
  receipt: '收据',
  number: '收据编号',
  issuedAt: '开具时间',
  paidAt: '付款时间',
  seller: '收款方',
  buyer: '付款方',
  account: '账户',
  taxId: '税号',
  phone: '电话',
  bank: '开户银行',
  bankAccount: '银行账号',
  description: '项目',
  amount: '金额',
  net: '不含税金额',
  total: '实付金额',
  payment: '付款信息',
  method: '付款方式',
  reference: '交易号',
  paymentId: '付款单号',
  refunds: '退款信息',
  refundState: { pending: '退款处理中', partial: '已部分退款', full: '已全额退款' },
};

const RECEIPT_TEXTS: Record<Language, ReceiptTexts> = { en: EN, 'zh-CN': ZH };

const STYLE = `
  @page { size: A4; margin: 18mm; }
  * { box-sizing: border-box; }
  body { max-width: 46rem; margin: 2.5rem auto; padding: 0 1.5rem; color: #1a1a1a; background: #fff;
    font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Noto Sans SC", "PingFang SC",
      "Microsoft YaHei", sans-serif; overflow-wrap: anywhere; }
  h1 { margin: 0 0 1.5rem; font-size: 1.9rem; }
  h2 { margin: 0 0 .4rem; font-size: .8rem; color: #555; font-weight: 600; }
  p { margin: 0; }
  .refunded { margin: -1rem 0 1.5rem; font-weight: 700; color: #a40000; }
  .parties { display: flex; gap: 2rem; margin: 2rem 0; }
  .parties section { flex: 1 1 0; min-width: 0; }
  .name { font-weight: 600; }
  table { width: 100%; border-collapse: collapse; table-layout: fixed; }
  .facts { margin: 0 0 2rem; }
  .facts th { width: 11rem; padding: .15rem 1rem .15rem 0; color: #555; font-weight: 400; }
  .facts td { padding: .15rem 0; }
  th, td { text-align: start; vertical-align: top; }
  .lines { margin: 0 0 2.5rem; }
  .lines th, .lines td { padding: .5rem 0; border-bottom: 1px solid #ddd; }
  .lines thead th { border-bottom: 2px solid #1a1a1a; font-size: .8rem; }
  .lines tbody th, .lines tfoot th { font-weight: 400; }
  .lines .amount { width: 12rem; padding-inline-start: 1rem; text-align: end; font-variant-numeric: tabular-nums; }
  .lines tfoot tr:last-child > * { border-bottom: 0; font-weight: 700; font-size: 1.1rem; }
  tr, section { break-inside: avoid; }
  @media print { body { max-width: none; margin: 0; padding: 0; font-size: 10.5pt; } }
`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');
/** Repeated in the file itself, since a saved file has no headers. */
const FILE_POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'`;
export const RECEIPT_POLICY = `${FILE_POLICY}; frame-ancestors 'none'; sandbox`;

const escaped = (text: string) => escapeHtml(toPrintableLine(text));
/** Untrusted text, isolated from the direction of the text around it. */
const quoted = (text: string) => `<bdi>${escaped(text)}</bdi>`;

const fact = (label: string, value: string) => `<tr><th scope="row">${label}</th><td>${value}</td></tr>`;
const line = (text: string) => `<p>${quoted(text)}</p>`;
const name = (text: string) => `<p class="name">${quoted(text)}</p>`;

function sellerLines({ seller }: ReceiptSnapshot, texts: ReceiptTexts): string[] {
  const labelled = [
    [texts.taxId, seller.tax_id],
    [texts.phone, seller.phone],
    [texts.bank, seller.bank],
    [texts.bankAccount, seller.bank_account],
  ] as const;
  return [
    name(seller.name),
    ...[seller.address, seller.email].flatMap((text) => (text === undefined ? [] : [line(text)])),
    ...labelled.flatMap(([label, text]) => (text === undefined ? [] : [`<p>${label}: ${quoted(text)}</p>`])),
  ];
}

function buyerLines({ buyer }: ReceiptSnapshot, texts: ReceiptTexts): string[] {
  const { email, payerName, payerEmail } = buyer;
  return [
    ...(payerName === null ? [] : [name(payerName)]),
    ...(payerEmail === null ? [] : [line(payerEmail)]),
    `<p>${texts.account}: ${quoted(email)}</p>`,
  ];
}

const refundSection = (heading: string, facts: string[]) => `<section><h2>${heading}</h2>
<table class="facts">
${facts.join('\n')}
</table>
</section>`;

/** Renders a receipt, and the refunds of its payment until now, as one self-contained HTML page. */
export function receiptHtml(
  { number, issuedAt }: IssuedDocument,
  snapshot: ReceiptSnapshot,
  site: Site,
  refunds: Refund[],
): string {
  const { language, currency, lines, netMinor, taxes, totalMinor, payment } = snapshot;
  const texts = RECEIPT_TEXTS[language];
  const time = (at: Date) => `${formatSiteTime(at, site)} ${site === 'cn' ? 'UTC+8' : 'UTC'}`;
  const money = (minor: bigint) => `${formatMinorAmount(minor)} ${currency}`;
  const row = (label: string, minor: bigint) =>
    `<tr><th scope="row">${label}</th><td class="amount">${money(minor)}</td></tr>`;
  const refundState = refundStateOf(totalMinor, refunds);
  const refundFact = ({ createdAt, amountMinor, status }: Refund) =>
    fact(
      time(createdAt),
      money(amountMinor) + (status === 'pending' ? ` (${texts.refundState.pending})` : ''),
    );
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escaped(FILE_POLICY)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${texts.receipt} ${number}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${texts.receipt}</h1>
${refundState === null ? '' : `<p class="refunded">${texts.refundState[refundState]}</p>`}
<table class="facts">
${fact(texts.number, number)}
${fact(texts.paidAt, time(payment.paidAt))}
${fact(texts.issuedAt, time(issuedAt))}
</table>
<div class="parties">
<section><h2>${texts.seller}</h2>
${sellerLines(snapshot, texts).join('\n')}
</section>
<section><h2>${texts.buyer}</h2>
${buyerLines(snapshot, texts).join('\n')}
</section>
</div>
<table class="lines">
<thead><tr><th scope="col">${texts.description}</th><th scope="col" class="amount">${texts.amount}</th></tr></thead>
<tbody>
${lines.map(({ description, amountMinor }) => row(quoted(description), amountMinor)).join('\n')}
</tbody>
<tfoot>
${taxes.length === 0 ? '' : row(texts.net, netMinor)}
${taxes.map(({ name, percent, amountMinor }) => row(`${quoted(name)} (${percent}%)`, amountMinor)).join('\n')}
${row(texts.total, totalMinor)}
</tfoot>
</table>
<section><h2>${texts.payment}</h2>
<table class="facts">
${fact(texts.method, PROVIDER_DISPLAY_NAMES[language][payment.provider])}
${fact(texts.reference, quoted(payment.reference))}
${fact(texts.paymentId, quoted(payment.id))}
</table>
</section>
${refundState === null ? '' : refundSection(texts.refunds, shownRefunds(refunds).map(refundFact))}
</body>
</html>
`;
}
