import { Text } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { createContext, type ReactNode, use, useEffect, useMemo, useState } from 'react';
import { useComponentTexts } from '../components/component-texts';
import { useLanguage } from '../language/language';
import { useSite } from '../api/site';
import { formatTime, type TimeDetail } from './format-time';
import { TIME_ZONE_CHOICES, TimeZoneContextProvider, useTimeZone } from './time-zone-context';

/** Is told which time zone the times on a page are in. */
const ZoneNoteContext = createContext<(timeZone: string) => void>(() => undefined);

/** An instant (ISO 8601) in the chosen time zone, which the page names. Its title is the instant in UTC. */
export function Time({ value, detail = 'minute' }: { value: string; detail?: TimeDetail }) {
  const { language } = useLanguage();
  const { timeZone } = useTimeZone();
  useZoneNote(timeZone);
  return (
    <Text component="time" inherit dateTime={value} title={value}>
      {formatTime(value, { language, timeZone, detail })}
    </Text>
  );
}

/** Has the page name the time zone of its times. */
function useZoneNote(timeZone: string): void {
  const note = use(ZoneNoteContext);
  useEffect(() => note(timeZone), [note, timeZone]);
}

/** Names the time zone of the times in it once, below them. */
export function WithZoneNote({ children }: { children: ReactNode }) {
  const t = useComponentTexts();
  const [zone, setZone] = useState<string>();
  return (
    <ZoneNoteContext value={setZone}>
      {children}
      {zone && (
        <Text size="sm" c="dimmed">
          {t('zone', { zone })}
        </Text>
      )}
    </ZoneNoteContext>
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
