import { addDays, dayOf } from '../../../time/calendar-day';
import { type RequestSearch } from '../../requests/request-search';
import { type UsageQuestion } from '../usage-queries';
import { withoutGaps } from '../usage-search';
import { type Entry } from './usage-report';

/** The part of the request log that an entry of the report is made of. The log knows whole days: an hour leads to its day. */
export function callsOf(
  { bucket: place, id }: Pick<Entry, 'bucket' | 'id'>,
  { bucket, dimension, timeZone, model, apiKeyId, entrypoint, first, last }: UsageQuestion,
): RequestSearch {
  const [from, to] = bucket === 'month' ? daysOfMonth(place) : daysOf(place, bucket, timeZone);
  return withoutGaps({
    from: from < first ? first : from,
    to: to > last ? last : to,
    model,
    key: apiKeyId,
    entrypoint,
    [dimension === 'api_key' ? 'key' : dimension]: id,
    zone: timeZone,
  });
}

function daysOf(place: string, bucket: 'hour' | 'day', timeZone: string): [string, string] {
  const day = bucket === 'day' ? place : dayOf(place, timeZone);
  return [day, day];
}

function daysOfMonth(month: string): [string, string] {
  const [year, number] = month.split('-').map(Number) as [number, number];
  const next = new Date(Date.UTC(year, number, 1)).toISOString();
  return [`${month}-01`, addDays(dayOf(next, 'UTC'), -1)];
}
