import { type PlainTextKey } from '../../language/text-types';
import { eventTextKey } from '../settings/events/event-text-key';
import { useSettingsTexts } from '../settings/texts/settings-texts';
import { type EventType } from './event-search';
import { useAdminEventTexts } from './texts/admin-event-texts';
import { type en } from './texts/en';

/** Changes of the site, which no customer sees among the own events. */
const KEYS: Partial<Record<EventType, PlainTextKey<typeof en>>> = {
  'admin.changelog_changed': 'event.changelog',
  'admin.exchange_rates_published': 'event.rates',
  'admin.model_changed': 'event.model',
  'admin.package_removed': 'event.packageRemoved',
  'admin.package_uploaded': 'event.packageUploaded',
  'admin.prices_published': 'event.prices',
  'admin.release_changed': 'event.release',
};

/** Names a type of events for people. */
export function useEventName(): (type: EventType) => string {
  const [t, settingsText] = [useAdminEventTexts(), useSettingsTexts()];
  return (type) => {
    const key = KEYS[type];
    return key ? t(key) : settingsText(eventTextKey(type));
  };
}
