export { INSTANT_FORM, type InstantMicros, instantText, parseInstant, startOfMonth } from './instant';
export { isTimeZone, startsOfDays, startsOfMonths, TIME_ZONE_FORM } from './time-zone';
