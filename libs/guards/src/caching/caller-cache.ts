import { type NotificationChannel } from '@inference/database';
import { type Caller } from '../caller';
import { CredentialCache } from './credential-cache';

/** How long a deleted key stays valid if its notification is lost. */
const CACHE_MILLIS = 3_000;

/** Creates a cache of callers. NOTIFY `credentials` evicts changed accounts and keys; other entries expire after three seconds. */
export function callerCache(channel: NotificationChannel): CredentialCache<Caller> {
  const cache = new CredentialCache<Caller>(CACHE_MILLIS);
  channel.on('credentials', (payload) => {
    const [kind, id] = payload.split(':');
    if (kind === 'api_key') cache.forget(({ apiKey }) => apiKey?.id === id);
    if (kind === 'account') cache.forget(({ accountId }) => accountId === id);
  });
  channel.onReconnect(() => cache.forget(() => true));
  return cache;
}
