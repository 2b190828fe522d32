import { useLocalStorage } from '@mantine/hooks';
import { type ReactNode, useMemo } from 'react';
import { useSite } from '../site/site';
import { TIME_ZONE_CHOICES, TimeZoneContextProvider } from './time-zone-context';

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
