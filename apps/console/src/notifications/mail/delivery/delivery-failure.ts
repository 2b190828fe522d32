/** The fields of nodemailer's errors that are used here. */
interface DeliveryError {
  code?: unknown;
  /** Status code of the SMTP server. */
  responseCode?: unknown;
  response?: unknown;
  /** The SMTP command that failed. */
  command?: unknown;
}

/** RFC 3463, section 3.2: the recipient's address is at fault, not the server or its settings. */
const BAD_RECIPIENT = /^5\d\d[ -]5\.1\.[1236]\b/;

/** Describes an error without the server's text, which may quote addresses. */
export function describeFailure(error: unknown): string {
  const { code, responseCode, command } = error as DeliveryError;
  const parts = [code, responseCode, command].filter((part) => part !== undefined && part !== null);
  return parts.length > 0 ? parts.join(' ') : String(error);
}

/** True if the recipient's address is refused permanently: retries would only harm the sender's reputation. */
export function isPermanentFailure(error: unknown): boolean {
  const { command, response } = error as DeliveryError;
  return command === 'RCPT TO' && typeof response === 'string' && BAD_RECIPIENT.test(response);
}
