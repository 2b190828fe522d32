import { Secret, TOTP } from 'otpauth';

/** The parameters of RFC 6238 that every authenticator app supports. */
const DIGITS = 6;
const PERIOD_SECONDS = 30;
const SECRET_BYTES = 20;
/** Steps that the clock of an authenticator may be off. */
const WINDOW = 1;

export const TOTP_CODE = /^\d{6}$/;

const parameters = { algorithm: 'SHA1', digits: DIGITS, period: PERIOD_SECONDS } as const;

export const newTotpSecret = (): string => new Secret({ size: SECRET_BYTES }).base32;

/** Content of the QR code: `otpauth://totp/<site>:<account>?secret=…`. */
export const totpUrl = (secret: string, site: string, account: string): string =>
  new TOTP({ ...parameters, secret, issuer: site, label: account }).toString();

/** Returns the time step that has this code, null if no step around that time, the present by default, has it. */
export function stepOf(secret: string, code: string, timestamp = Date.now()): number | null {
  if (!TOTP_CODE.test(code)) return null;
  const totp = new TOTP({ ...parameters, secret });
  const delta = totp.validate({ token: code, timestamp, window: WINDOW });
  return delta === null ? null : totp.counter({ timestamp }) + delta;
}
