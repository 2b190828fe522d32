interface DeliveryError {
  code?: unknown;
  /** Of an SMTP server. */
  responseCode?: unknown;
  response?: unknown;
  /** What the server answered to. */
  command?: unknown;
}

/** RFC 3463: the fault is in the recipient's address, not in the server or its settings. */
const BAD_ADDRESS = /^5\d\d[ -]5\.1\.[1236]\b/;

/** What went wrong, without the texts of servers, which quote addresses. */
export function describeFailure(error: unknown): string {
  const { code, responseCode, command } = error as DeliveryError;
  const parts = [code, responseCode, command].filter((part) => part !== undefined && part !== null);
  return parts.length > 0 ? parts.join(' ') : String(error);
}

/** Whether trying again is of no use and only harms the sender's reputation. */
export function isRefusedForGood(error: unknown): boolean {
  const { command, response } = error as DeliveryError;
  return command === 'RCPT TO' && typeof response === 'string' && BAD_ADDRESS.test(response);
}
