import { useLanguage } from '../../../language/language-context';
import { formatDay } from '../../../time/calendar-day';
import { formatTime } from '../../../time/format-time';
import { type Bucket } from '../usage-search';

/** Names a bucket; hours with their time zone. */
export function useBucketName(bucket: Bucket, timeZone: string): (name: string, short?: boolean) => string {
  const { language } = useLanguage();
  return (name, short) =>
    bucket === 'hour' ? formatTime(name, { language, timeZone }) : formatDay(name, language, short);
}
