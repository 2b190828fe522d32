import { isDay } from '../../time/calendar-day';
import { isTimeZone, withoutGaps } from './usage-search';

/** How a call ended: the outcomes of served ones, and the calls that were not served. */
export const STATUSES = ['completed', 'disconnected', 'interrupted', 'refused', 'failed'] as const;

/** What the address of the page holds. */
export interface RequestSearch {
  /** First and last day, both included, in the time zone of the pages. */
  from?: string;
  to?: string;
  model?: string;
  /** Id of an API key, or `none`. */
  key?: string;
  entrypoint?: string;
  /** The id that the client has given the call. */
  client_request_id?: string;
  status?: (typeof STATUSES)[number];
  /** IANA name of a time zone, if not that of the pages. */
  zone?: string;
}

/** Addresses hold numbers as numbers. */
const textIn = (value: unknown) =>
  value === undefined || value === '' ? undefined : String(value as string);
const dayIn = (value: unknown) => (isDay(value) ? value : undefined);

/** Reads the address. What is not understood is left out. */
export function requestSearchIn(search: Record<string, unknown>): RequestSearch {
  const zone = textIn(search['zone']);
  return withoutGaps({
    from: dayIn(search['from']),
    to: dayIn(search['to']),
    model: textIn(search['model']),
    key: textIn(search['key']),
    entrypoint: textIn(search['entrypoint']),
    client_request_id: textIn(search['client_request_id']),
    // `outcome`: in addresses that were kept from earlier versions.
    status: STATUSES.find((status) => status === (search['status'] ?? search['outcome'])),
    zone: zone !== undefined && isTimeZone(zone) ? zone : undefined,
  });
}
