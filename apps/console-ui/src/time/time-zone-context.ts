import { createContext, use } from 'react';

/** Whose time zone the pages use. */
export const TIME_ZONE_CHOICES = ['site', 'browser', 'utc'] as const;
export type TimeZoneChoice = (typeof TIME_ZONE_CHOICES)[number];

interface TimeZoneState {
  choice: TimeZoneChoice;
  setChoice: (choice: TimeZoneChoice) => void;
  /** IANA name of the chosen zone, also for `time_zone` of calls that sum by day or hour. */
  timeZone: string;
  /** IANA names of all choices. */
  zones: Record<TimeZoneChoice, string>;
}

const UTC = 'UTC';
const TimeZoneContext = createContext<TimeZoneState>({
  choice: 'utc',
  setChoice: () => undefined,
  timeZone: UTC,
  zones: { site: UTC, browser: UTC, utc: UTC },
});

export const TimeZoneContextProvider = TimeZoneContext.Provider;
export const useTimeZone = (): TimeZoneState => use(TimeZoneContext);
