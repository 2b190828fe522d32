import { z } from 'zod';
import { type ProviderAccounts } from './credentials/provider-accounts';

const DEFAULT_PORT = '3092';
const DEFAULT_HOST = '127.0.0.1';
const HIGHEST_PORT = 65_535;

const text = z.string().min(1);

const providerAccounts = z.strictObject({
  stripe: z.strictObject({ secretKey: text, webhookUrl: z.url(), webhookSecret: text }).optional(),
  wechat: z
    .strictObject({
      appId: text,
      merchantId: text,
      merchantSerial: text,
      merchantPublicKey: text,
      apiV3Key: z.string().length(32),
      platformKeys: z
        .array(z.strictObject({ id: text, privateKey: text, certificate: text.optional() }))
        .min(1),
    })
    .optional(),
  alipay: z
    .strictObject({ appId: text, sellerId: text, appPublicKey: text, alipayPrivateKey: text })
    .optional(),
});

/** An http(s) URL, reduced to scheme, host and port. */
export const origin = z
  .url({ protocol: /^https?$/, error: 'must be an origin such as http://127.0.0.1:3000' })
  .transform((url) => new URL(url).origin);

export interface SandboxPaymentsConfig {
  host: string;
  /** 0 for any free port. */
  port: number;
  accounts: ProviderAccounts;
  /** Replaces the origin of every notification address, unless it is null. */
  merchant: string | null;
  /** The file that stores the orders. Null: they are only in memory. */
  file: string | null;
}

const environment = z.object({
  SANDBOX_PAYMENTS_HOST: z.string().min(1).default(DEFAULT_HOST),
  SANDBOX_PAYMENTS_PORT: z
    .string()
    .default(DEFAULT_PORT)
    .refine(
      (digits) => /^\d+$/.test(digits) && Number(digits) <= HIGHEST_PORT,
      `must be from 0 to ${HIGHEST_PORT}`,
    ),
  SANDBOX_PAYMENTS_PARTIES: z
    .string()
    .default('{}')
    .transform((json, context) => {
      try {
        return JSON.parse(json) as unknown;
      } catch {
        context.addIssue({ code: 'custom', message: 'must be valid JSON' });
        return z.NEVER;
      }
    })
    .pipe(providerAccounts),
  SANDBOX_PAYMENTS_MERCHANT: origin.optional(),
  SANDBOX_PAYMENTS_FILE: z.string().min(1).optional(),
});

/** Reads the options from the environment. Throws one error that names every invalid variable, but no values. */
export function readConfig(env: NodeJS.ProcessEnv): SandboxPaymentsConfig {
  const result = environment.safeParse(env);
  if (!result.success) {
    throw new Error(
      result.error.issues.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`).join('; '),
    );
  }
  return {
    host: result.data.SANDBOX_PAYMENTS_HOST,
    port: Number(result.data.SANDBOX_PAYMENTS_PORT),
    accounts: result.data.SANDBOX_PAYMENTS_PARTIES,
    merchant: result.data.SANDBOX_PAYMENTS_MERCHANT ?? null,
    file: result.data.SANDBOX_PAYMENTS_FILE ?? null,
  };
}
