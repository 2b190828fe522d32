import { env, type Site } from '@inference/config';
import { z } from 'zod';
import { isPrivateChannel } from '../../validation/secure-url';

export const INVOICES_CONFIG = Symbol('INVOICES_CONFIG');

export const invoiceFields = {
  /** Address of the service that issues the tax authority's own invoice files, on the site `cn` only. */
  INVOICE_ISSUER_URL: env
    .httpUrl()
    .refine(
      (url) => !URL.canParse(url) || isPrivateChannel(url),
      'must be https, except on this machine itself',
    )
    .optional(),
  /** Bearer token for that service; required with INVOICE_ISSUER_URL. */
  INVOICE_ISSUER_TOKEN: z.string().min(16, 'must have at least 16 characters').optional(),
};

type Fields = z.output<z.ZodObject<typeof invoiceFields>>;

export interface InvoicesConfig {
  /** Null: no tax files are requested. */
  issuer: { url: string; token: string } | null;
}

/** Reports an issuer with only one of its variables, and an issuer on the international site. */
export function checkInvoices(config: Partial<Fields> & { SITE: Site }, context: z.RefinementCtx): void {
  const names = ['INVOICE_ISSUER_URL', 'INVOICE_ISSUER_TOKEN'] as const;
  const present = names.filter((name) => config[name] !== undefined);
  const fault = (name: keyof Fields, message: string) =>
    context.addIssue({ code: 'custom', path: [name], message });
  if (present.length === 0) return;
  if ((config.SITE as string | undefined) === 'intl')
    for (const name of present) fault(name, 'is for the site cn only');
  else
    for (const name of names) if (config[name] === undefined) fault(name, `is missing beside ${present[0]}`);
}

export function invoicesOf({ INVOICE_ISSUER_URL: url, INVOICE_ISSUER_TOKEN: token }: Fields): InvoicesConfig {
  return { issuer: url !== undefined && token !== undefined ? { url, token } : null };
}
