import { createSign, createVerify } from 'node:crypto';

const ALGORITHM = 'RSA-SHA256';

export const sign = (content: string, privateKey: string): string =>
  createSign(ALGORITHM).update(content, 'utf8').sign(privateKey, 'base64');

export const isSigned = (content: string, signature: string, publicKey: string): boolean =>
  createVerify(ALGORITHM).update(content, 'utf8').verify(publicKey, signature, 'base64');

/** The text to sign: the parameters sorted by name, not escaped, except those in `without`. */
export const contentOf = (parameters: Record<string, string>, without: string[]): string =>
  Object.keys(parameters)
    .filter((name) => !without.includes(name))
    .sort()
    .map((name) => `${name}=${parameters[name]}`)
    .join('&');
