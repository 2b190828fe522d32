export { type InstantMicros, instantText, parseInstant, parseUtcInstant, startOfMonth } from './instant';
