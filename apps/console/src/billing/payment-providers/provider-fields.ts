import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { env } from '@inference/config';
import { z } from 'zod';
import { isPrivateChannel } from '../../site.config';

/** Specified: Alipay's RSA2 requires at least 2048 bits, and WeChat Pay's certificates have 2048. */
const MIN_RSA_BITS = 2048;
const BARE_BASE64 = /^[A-Za-z0-9+/=\s]+$/;

/** Environment files often hold a PEM on one line, with `\n` written out. */
export const unfoldPem = (text: string) => text.replaceAll('\\n', '\n');

/** One PEM text per label for bare base64, the form in which Alipay hands out keys; otherwise the text itself. */
function pemCandidates(text: string, labels: string[]): string[] {
  const unfolded = unfoldPem(text).trim();
  if (!BARE_BASE64.test(unfolded)) return [unfolded];
  return labels.map((label) => `-----BEGIN ${label}-----\n${unfolded}\n-----END ${label}-----\n`);
}

function firstReadableKey(pems: string[], read: (pem: string) => KeyObject): KeyObject | null {
  for (const pem of pems) {
    try {
      return read(pem);
    } catch {
      continue;
    }
  }
  return null;
}

export const isStrongRsa = (key: KeyObject) =>
  key.asymmetricKeyType === 'rsa' && (key.asymmetricKeyDetails?.modulusLength ?? 0) >= MIN_RSA_BITS;

/** An RSA key as PEM or bare base64. The value is PEM text: PKCS #8 for a private key, SPKI for a public one. */
export const rsaKeyField = (kind: 'private' | 'public') =>
  z.string().transform((text, context) => {
    const key =
      kind === 'private'
        ? firstReadableKey(pemCandidates(text, ['PRIVATE KEY', 'RSA PRIVATE KEY']), createPrivateKey)
        : firstReadableKey(pemCandidates(text, ['PUBLIC KEY', 'RSA PUBLIC KEY']), createPublicKey);
    if (key && isStrongRsa(key))
      return key
        .export(kind === 'private' ? { type: 'pkcs8', format: 'pem' } : { type: 'spki', format: 'pem' })
        .toString();
    context.addIssue({
      code: 'custom',
      message: `must be a ${kind} RSA key of ${MIN_RSA_BITS} bits or more, as PEM`,
    });
    return z.NEVER;
  });

/** Comma-separated items, white space around them ignored. */
export const listField = (item: z.ZodType<string, string>) =>
  z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(item));

/** The address of a provider's API. Requests carry a secret and answers cause credits, so it must be https. */
export const providerUrlField = () =>
  env
    .httpUrl()
    .refine(
      (url) => !URL.canParse(url) || isPrivateChannel(url),
      'must be https, except on this machine itself',
    );

/** Whether all variables of a provider are set. */
export const isComplete = <Fields extends object, Name extends keyof Fields>(
  config: Fields,
  names: readonly Name[],
): config is Fields & { [N in Name]-?: NonNullable<Fields[N]> } =>
  names.every((name) => config[name] !== undefined);
