import { Secret, TOTP } from 'otpauth';

/** RFC 6238 as every authenticator app speaks it. */
const DIGITS = 6;
const PERIOD_SECONDS = 30;
const SECRET_BYTES = 20;
/** A clock may be one step off. */
const WINDOW = 1;

const parameters = { algorithm: 'SHA1', digits: DIGITS, period: PERIOD_SECONDS } as const;

export const newTotpSecret = (): string => new Secret({ size: SECRET_BYTES }).base32;

/** What the QR code says: `otpauth://totp/<site>:<account>?secret=…`. */
export const totpUrl = (secret: string, site: string, account: string): string =>
  new TOTP({ ...parameters, secret, issuer: site, label: account }).toString();

/** The time step whose code this is, null when it is that of none around now. */
export function stepOf(secret: string, code: string): number | null {
  const timestamp = Date.now();
  const totp = new TOTP({ ...parameters, secret });
  const delta = totp.validate({ token: code, timestamp, window: WINDOW });
  return delta === null ? null : totp.counter({ timestamp }) + delta;
}
