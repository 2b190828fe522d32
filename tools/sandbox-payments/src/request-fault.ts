import { type IncomingHttpHeaders } from 'node:http';
import { errorPage, HTML_HEADERS } from './pages/page';
import { type WireAnswer } from './protocol';

/** An invalid request to the sandbox's own routes. The message is sent to the client. */
export class RequestFault extends Error {
  constructor(
    /** An HTTP status from 400 to 499. */
    readonly status: number,
    message: string,
    readonly headers: Record<string, string> = {},
  ) {
    super(message);
  }
}

/** Browsers accept text/html. Scripts accept any type, or JSON. */
export const wantsPage = ({ accept = '' }: IncomingHttpHeaders): boolean => accept.includes('text/html');
export const wantsJson = ({ accept = '' }: IncomingHttpHeaders): boolean =>
  accept.includes('application/json') && !accept.includes('text/html');

export const json = (status: number, content: object): WireAnswer => ({
  status,
  headers: { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' },
  body: JSON.stringify(content),
});

/** Returns the error response. Errors other than a RequestFault become a 500. */
export function refusal(error: unknown, headers: IncomingHttpHeaders): WireAnswer {
  const fault =
    error instanceof RequestFault ? error : { status: 500, message: 'The sandbox failed.', headers: {} };
  const answer = wantsPage(headers)
    ? { status: fault.status, headers: HTML_HEADERS, body: errorPage(fault.message) }
    : json(fault.status, { error: fault.message });
  return { ...answer, headers: { ...answer.headers, ...fault.headers } };
}
