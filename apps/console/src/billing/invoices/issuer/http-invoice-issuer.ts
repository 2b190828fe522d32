import { stringifyExact } from '@inference/money';
import { minorToNumber } from '../../payments/minor-amount';
import {
  type InvoiceIssuer,
  type InvoiceToIssue,
  ISSUER_TIMEOUT_MILLIS,
  type IssuerResult,
  TAX_FILE_KINDS,
  type TaxFile,
} from './invoice-issuer';

/** Chosen: tax files are below 1 MB; mail servers commonly accept 10 MB. */
const MAX_FILE_BYTES = 5 * 1_048_576;
/** 4xx statuses about the connection, the credential or the moment, which say nothing about the invoice. */
const INCONCLUSIVE_STATUSES = new Set([401, 403, 404, 405, 407, 408, 421, 425, 429]);
const CHARSET = /;\s*charset="?([\w-]{1,40})"?/i;

/**
 * Posts the invoice as JSON, with its number as `Idempotency-Key`. 200 with a file of a known type is the file; 202, 5xx
 * and the inconclusive statuses mean later; any other 4xx is a refusal.
 */
export class HttpInvoiceIssuer implements InvoiceIssuer {
  constructor(private readonly options: { url: string; token: string }) {}

  async requestTaxFile(invoice: InvoiceToIssue): Promise<IssuerResult> {
    const response = await fetch(this.options.url, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${this.options.token}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': invoice.number,
      },
      body: stringifyExact(requestBody(invoice)),
      // A redirect would send the token to another address.
      redirect: 'manual',
      signal: AbortSignal.timeout(ISSUER_TIMEOUT_MILLIS),
    });
    const { status } = response;
    if (status === 200) return readTaxFile(response);
    await response.body?.cancel();
    if (status === 202) return { status: 'later', reason: null };
    const isRefusal = status >= 400 && status < 500 && !INCONCLUSIVE_STATUSES.has(status);
    return { status: isRefusal ? 'refused' : 'later', reason: `HTTP ${status}` };
  }
}

/** The invoice in the issuer's protocol; amounts are in the currency, not in hundredths. */
function requestBody({ number, issuedAt, snapshot }: InvoiceToIssue): unknown {
  const { seller, buyer, currency, lines, netMinor, taxes, totalMinor, payment } = snapshot;
  return {
    number,
    issued_at: issuedAt.toISOString(),
    seller,
    buyer: { type: buyer.type, title: buyer.title, tax_id: buyer.taxId },
    currency,
    lines: lines.map(({ description, amountMinor }) => ({ description, amount: minorToNumber(amountMinor) })),
    net: minorToNumber(netMinor),
    taxes: taxes.map(({ name, percent, amountMinor }) => ({
      name,
      percent,
      amount: minorToNumber(amountMinor),
    })),
    total: minorToNumber(totalMinor),
    payment: {
      id: payment.id,
      provider: payment.provider,
      reference: payment.reference,
      paid_at: payment.paidAt.toISOString(),
    },
  };
}

async function readTaxFile(response: Response): Promise<IssuerResult> {
  const declared = response.headers.get('content-type') ?? '';
  const type = declared.split(';')[0]!.trim().toLowerCase();
  const kind = Object.hasOwn(TAX_FILE_KINDS, type) ? TAX_FILE_KINDS[type] : undefined;
  if (!kind) {
    await response.body?.cancel();
    return { status: 'later', reason: 'a file of a type that is unknown here' };
  }
  const bytes = await readBytes(response);
  if (!bytes) return { status: 'later', reason: `a file of more than ${MAX_FILE_BYTES} bytes` };
  if (!kind.matches(bytes)) return { status: 'later', reason: `a file that is no ${type}` };
  const charset = CHARSET.exec(declared)?.[1];
  const contentType = charset === undefined ? type : `${type}; charset=${charset.toLowerCase()}`;
  const file: TaxFile = { contentType, extension: kind.extension, bytes };
  return { status: 'issued', file };
}

/** Null if there are more than MAX_FILE_BYTES. */
async function readBytes(response: Response): Promise<Buffer | null> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk as Uint8Array);
    length += (chunk as Uint8Array).length;
    // Leaving the loop closes the connection.
    if (length > MAX_FILE_BYTES) return null;
  }
  return Buffer.concat(chunks);
}
