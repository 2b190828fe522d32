import { Text } from '@mantine/core';
import { useLanguage } from '../language/language-context';
import { formatTime, type TimeDetail } from './format-time';
import { useTimeZone } from './time-zone-context';

/** An instant (ISO 8601) in the chosen time zone, which it names. Its title is the instant in UTC. */
export function Time({ value, detail = 'minute' }: { value: string; detail?: TimeDetail }) {
  const { language } = useLanguage();
  const { timeZone } = useTimeZone();
  return (
    <Text component="time" inherit dateTime={value} title={value}>
      {formatTime(value, { language, timeZone, detail })}
    </Text>
  );
}
