import { exactNumber, scaledToDecimal, stringifyExact } from '@inference/money';
import { MINOR_DIGITS } from '../payments/payments.dto';
import {
  type InvoiceIssuer,
  type InvoiceOfIssuer,
  ISSUER_LIMIT_MILLIS,
  type IssuerAnswer,
  type TaxFile,
} from './invoice-issuer';

const MAX_FILE_BYTES = 5 * 1_048_576;
/** They speak of the connection and its credential, or of a moment, and not of the invoice. */
const PASSING_REFUSALS = new Set([401, 403, 404, 405, 407, 408, 421, 425, 429]);
const CHARSET = /;\s*charset="?([\w-]{1,40})"?/i;

/** The first characters of a text file, whatever comes before them that means nothing. */
const startOf = (bytes: Buffer) =>
  bytes
    .subarray(0, 1_024)
    .toString('latin1')
    .replace(/^(\xef\xbb\xbf)?\s*/, '');

interface FileKind {
  extension: string;
  /** Whether the bytes are what the type says. */
  is(bytes: Buffer): boolean;
}

const KINDS: Record<string, FileKind> = {
  'application/pdf': { extension: 'pdf', is: (bytes) => bytes.subarray(0, 5).toString('latin1') === '%PDF-' },
  // A ZIP archive.
  'application/ofd': {
    extension: 'ofd',
    is: (bytes) => bytes.subarray(0, 4).toString('latin1') === 'PK\x03\x04',
  },
  'application/xml': { extension: 'xml', is: (bytes) => /^<(\?xml|[A-Za-z_])/.test(startOf(bytes)) },
  'text/html': { extension: 'html', is: (bytes) => /^<(!doctype html|html)\b/i.test(startOf(bytes)) },
};

/**
 * Asks over HTTP: POST of the invoice as JSON, with its number as `Idempotency-Key`. 200 with a file of a known type is
 * the file, 202 is later, and so is what says nothing of the invoice; any other 4xx refuses.
 */
export class HttpInvoiceIssuer implements InvoiceIssuer {
  constructor(private readonly options: { url: string; token: string }) {}

  async ask(invoice: InvoiceOfIssuer): Promise<IssuerAnswer> {
    const response = await fetch(this.options.url, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${this.options.token}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': invoice.number,
      },
      body: stringifyExact(contentOf(invoice)),
      // The token is for this address only.
      redirect: 'manual',
      signal: AbortSignal.timeout(ISSUER_LIMIT_MILLIS),
    });
    const { status } = response;
    if (status === 200) return readAnswer(response);
    await response.body?.cancel();
    if (status === 202) return { status: 'later', reason: null };
    const isRefusal = status >= 400 && status < 500 && !PASSING_REFUSALS.has(status);
    return { status: isRefusal ? 'refused' : 'later', reason: `HTTP ${status}` };
  }
}

const decimal = (minor: bigint) => exactNumber(scaledToDecimal(minor, MINOR_DIGITS));

/** Amounts in the currency. */
function contentOf({ number, issuedAt, snapshot }: InvoiceOfIssuer): unknown {
  const { seller, buyer, currency, lines, netMinor, taxes, totalMinor, payment } = snapshot;
  return {
    number,
    issued_at: issuedAt.toISOString(),
    seller,
    buyer: { type: buyer.type, title: buyer.title, tax_id: buyer.taxId },
    currency,
    lines: lines.map(({ description, amountMinor }) => ({ description, amount: decimal(amountMinor) })),
    net: decimal(netMinor),
    taxes: taxes.map(({ name, percent, amountMinor }) => ({ name, percent, amount: decimal(amountMinor) })),
    total: decimal(totalMinor),
    payment: {
      id: payment.id,
      provider: payment.provider,
      reference: payment.reference,
      paid_at: payment.paidAt.toISOString(),
    },
  };
}

async function readAnswer(response: Response): Promise<IssuerAnswer> {
  const declared = response.headers.get('content-type') ?? '';
  const type = declared.split(';')[0]!.trim().toLowerCase();
  const kind = Object.hasOwn(KINDS, type) ? KINDS[type] : undefined;
  if (!kind) {
    await response.body?.cancel();
    return { status: 'later', reason: 'a file of a type that is unknown here' };
  }
  const bytes = await readBytes(response);
  if (!bytes) return { status: 'later', reason: `a file of more than ${MAX_FILE_BYTES} bytes` };
  if (!kind.is(bytes)) return { status: 'later', reason: `a file that is no ${type}` };
  const charset = CHARSET.exec(declared)?.[1];
  const contentType = charset === undefined ? type : `${type}; charset=${charset.toLowerCase()}`;
  const file: TaxFile = { contentType, extension: kind.extension, bytes };
  return { status: 'issued', file };
}

/** Null when there are too many. */
async function readBytes(response: Response): Promise<Buffer | null> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk as Uint8Array);
    length += (chunk as Uint8Array).length;
    // Leaving the loop ends the connection.
    if (length > MAX_FILE_BYTES) return null;
  }
  return Buffer.concat(chunks);
}
