import { type IncomingHttpHeaders } from 'node:http';
import { errorPage, HTML_HEADERS } from './page';
import { type WireAnswer } from './protocol';

/** A request of the sandbox's own that cannot be done; the message is for whoever sent it. */
export class RequestFault extends Error {
  constructor(
    /** 4xx */
    readonly status: number,
    message: string,
    readonly headers: Record<string, string> = {},
  ) {
    super(message);
  }
}

/** A browser says that it takes a page; a script takes anything, or says that it takes JSON. */
export const wantsPage = ({ accept = '' }: IncomingHttpHeaders): boolean => accept.includes('text/html');
export const wantsJson = ({ accept = '' }: IncomingHttpHeaders): boolean =>
  accept.includes('application/json') && !accept.includes('text/html');

export const json = (status: number, content: object): WireAnswer => ({
  status,
  headers: { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' },
  body: JSON.stringify(content),
});

/** Anything but a RequestFault is the sandbox's own failure. */
export function refusal(error: unknown, headers: IncomingHttpHeaders): WireAnswer {
  const fault =
    error instanceof RequestFault ? error : { status: 500, message: 'The sandbox failed.', headers: {} };
  const answer = wantsPage(headers)
    ? { status: fault.status, headers: HTML_HEADERS, body: errorPage(fault.message) }
    : json(fault.status, { error: fault.message });
  return { ...answer, headers: { ...answer.headers, ...fault.headers } };
}
