export { INSTANT_FORM, type InstantMicros, instantText, parseInstant, startOfMonth } from './instant';
export { hasWholeHourOffsets, isTimeZone, TIME_ZONE_FORM } from './time-zone';
