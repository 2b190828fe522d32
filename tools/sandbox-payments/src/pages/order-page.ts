import { toDataURL } from 'qrcode';
import { escapeHtml, page } from './page';
import { type SandboxDelivery, type SandboxOrder } from '../orders/order-view';

const PROVIDER_TITLES = { stripe: 'Stripe', wechat: 'WeChat Pay', alipay: 'Alipay' };
const MINOR_DIGITS = 2;

export interface OrderPage {
  order: SandboxOrder;
  /** The content of the QR code. */
  payUrl: string;
  /** The merchant's return page, or null if there is none. */
  returnUrl: string | null;
  isPayable: boolean;
}

/** For example `USD 12.30`. */
function amountOf({ currency, amount_minor }: Pick<SandboxOrder, 'currency' | 'amount_minor'>): string {
  const digits = String(amount_minor).padStart(MINOR_DIGITS + 1, '0');
  return `${currency} ${digits.slice(0, -MINOR_DIGITS)}.${digits.slice(-MINOR_DIGITS)}`;
}

export async function orderPage({ order, payUrl, returnUrl, isPayable }: OrderPage): Promise<string> {
  const qr = await toDataURL(payUrl, { errorCorrectionLevel: 'M', margin: 2, scale: 6 });
  return page(
    `Order ${order.id}`,
    `<h1>${PROVIDER_TITLES[order.provider]}</h1>
<p class="sum">${escapeHtml(amountOf(order))}</p>
<p>${escapeHtml(order.description)}</p>
<p>${statusOf(order)}</p>
<dl>
${facts(order)}
</dl>
${isPayable ? `<img src="${qr}" alt="QR code to pay with">\n<p class="note">The code says ${escapeHtml(payUrl)}</p>` : ''}
${isPayable ? form(order) : ''}
${returnUrl === null ? '' : backLink(returnUrl, order.status === 'paid')}
${refunds(order)}
${deliveries(order)}
<p><a href="/">All orders</a></p>`,
  );
}

export function ordersPage(orders: SandboxOrder[]): string {
  const items = orders.map(
    (order) => `<a href="/orders/${encodeURIComponent(order.id)}">${escapeHtml(amountOf(order))}</a>
${PROVIDER_TITLES[order.provider]} ${statusOf(order)}<br>
<span class="note">${escapeHtml(order.id)} · ${timeOf(order.created_at)}</span>`,
  );
  return page(
    'Orders',
    `<h1>Orders</h1>\n${items.length > 0 ? listOf(items) : '<p>There are none yet.</p>'}`,
  );
}

const listOf = (items: string[]) => `<ul>\n${items.map((item) => `<li>${item}</li>`).join('\n')}\n</ul>`;
const statusOf = ({ status }: SandboxOrder) => `<span class="status ${status}">${status}</span>`;
const timeOf = (iso: string) => `${escapeHtml(iso.slice(0, 19).replace('T', ' '))} UTC`;

function facts(order: SandboxOrder): string {
  const { payer } = order;
  const rows = [
    ['Order', escapeHtml(order.id)],
    ['Reference', escapeHtml(order.reference)],
    ['Created', timeOf(order.created_at)],
    ['Expires', timeOf(order.expires_at)],
    ...(order.paid_at === null ? [] : [['Paid', timeOf(order.paid_at)]]),
    ...(payer.name || payer.email
      ? [['Payer', [payer.name, payer.email].filter(Boolean).map(escapeHtml).join('<br>')]]
      : []),
  ];
  return rows.map(([name, value]) => `<dt>${name}</dt><dd>${value}</dd>`).join('\n');
}

/** The form has only the pay button if the order is not open: `paid_after_expiry` allows only payment. */
function form({ id, status }: SandboxOrder): string {
  const action = (name: string) => escapeHtml(`/orders/${encodeURIComponent(id)}/${name}`);
  return `<form method="post" action="${action('pay')}">
<label>Name of the payer <input name="name" autocomplete="name" maxlength="200"></label>
<label>E-mail <input name="email" type="email" autocomplete="email" maxlength="254"></label>
<button class="pay">Pay</button>
${
  status === 'open'
    ? `<button formaction="${action('fail')}" formnovalidate>Fail</button>
<button formaction="${action('expire')}" formnovalidate>Let it expire</button>`
    : ''
}
</form>`;
}

const backLink = (url: string, isPaid: boolean) =>
  `<p><a href="${escapeHtml(url)}" rel="noreferrer">${isPaid ? 'Back to the merchant' : 'Abandon: back to the merchant without paying'}</a></p>`;

function refunds({ refunds: list, currency }: SandboxOrder): string {
  if (list.length === 0) return '';
  const items = list.map(
    ({ id, reference, amount_minor, created_at }) => `${escapeHtml(amountOf({ currency, amount_minor }))}<br>
<span class="note">${escapeHtml(id)} · ${escapeHtml(reference)} · ${timeOf(created_at)}</span>`,
  );
  return `<h2>Refunds</h2>\n${listOf(items)}`;
}

function deliveries({ deliveries: list, waiting }: SandboxOrder): string {
  const items = [...list].reverse().map((delivery) => {
    const { order_status, refunds: count, attempt, sent_at, faults } = delivery;
    const status = count === 0 ? order_status : `${order_status}, ${count} refunded`;
    const circumstances = [`reported ${status}`, `try ${attempt}`, timeOf(sent_at), ...faults];
    return `${outcomeOf(delivery)}<br>\n<span class="note">${circumstances.join(' · ')}</span>`;
  });
  return `<h2>Notifications to the merchant</h2>
<p class="note">${waiting} waiting to be sent.</p>
${items.length > 0 ? listOf(items) : '<p>None was sent yet.</p>'}`;
}

function outcomeOf({ status, body, error, acknowledged, faults }: SandboxDelivery): string {
  if (faults.includes('drop')) return 'not sent';
  if (status === null) return escapeHtml(`no answer: ${error}`);
  return escapeHtml(`${acknowledged ? 'acknowledged' : 'refused'} (${status}) ${(body ?? '').slice(0, 200)}`);
}
