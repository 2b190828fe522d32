import { Text } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { type ReactNode, useMemo } from 'react';
import { useLanguage } from '../language/language-context';
import { useSite } from '../api/site';
import { formatTime, type TimeDetail } from './format-time';
import { TIME_ZONE_CHOICES, TimeZoneContextProvider, useTimeZone } from './time-zone-context';

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

/** Remembers whose time zone is wanted; the site's unless chosen. */
export function TimeZoneProvider({ children }: { children: ReactNode }) {
  const site = useSite();
  const [stored, setChoice] = useLocalStorage<string>({
    key: 'time-zone',
    defaultValue: 'site',
    getInitialValueInEffect: false,
  });
  const choice = TIME_ZONE_CHOICES.find((known) => known === stored) ?? 'site';
  const state = useMemo(() => {
    const browser = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const zones = { site: site.time_zone, browser, utc: 'UTC' };
    return { choice, setChoice, zones, timeZone: zones[choice] };
  }, [choice, setChoice, site.time_zone]);
  return <TimeZoneContextProvider value={state}>{children}</TimeZoneContextProvider>;
}
