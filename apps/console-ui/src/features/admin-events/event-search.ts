import { type Schemas } from '../../api/console-api';
import { ACCOUNT_NUMBER } from '../admin-payments/payment-search';
import { withoutGaps } from '../usage/usage-search';

export type EventType = Schemas['AuditEventType'];

const TYPES: Record<EventType, true> = {
  'account.created': true,
  'account.reactivated': true,
  'account.role_changed': true,
  'account.suspended': true,
  'account.view_began': true,
  'account.view_ended': true,
  'api_key.changed': true,
  'api_key.created': true,
  'api_key.deleted': true,
  'api_key.leaked': true,
  'api_key.reactivated': true,
  'api_key.suspended': true,
  'api_key.rotated': true,
  'email.verified': true,
  'identity.linked': true,
  'identity.unlinked': true,
  'login.challenged': true,
  'login.failed': true,
  'password.changed': true,
  'password.failed': true,
  'password.reset': true,
  'password.reset_requested': true,
  'recovery_codes.replaced': true,
  'response_storage.disabled': true,
  'response_storage.enabled': true,
  'second_factor.failed': true,
  'session.ended': true,
  'session.opened': true,
  'session.others_ended': true,
  'session.refresh_token_reused': true,
  'two_factor.disabled': true,
  'two_factor.enabled': true,
  'workspace_key.deleted': true,
  'admin.adjustment_posted': true,
  'admin.announcement_changed': true,
  'admin.changelog_changed': true,
  'admin.exchange_rates_published': true,
  'admin.export_repeated': true,
  'admin.limits_removed': true,
  'admin.limits_set': true,
  'admin.model_changed': true,
  'admin.package_removed': true,
  'admin.package_uploaded': true,
  'admin.prices_published': true,
  'admin.provider_event_closed': true,
  'admin.refund_ordered': true,
  'admin.release_changed': true,
  'admin.served_model_changed': true,
  'admin.upstream_changed': true,
};
export const EVENT_TYPES = Object.keys(TYPES) as EventType[];

/** What the address of the page holds. */
export interface EventSearch {
  account?: string;
  type?: EventType;
}

/** Reads the address. What is not understood is left out. */
export const eventSearchIn = ({ account, type }: Record<string, unknown>): EventSearch =>
  withoutGaps({
    account: typeof account === 'string' && ACCOUNT_NUMBER.test(account) ? account : undefined,
    type: EVENT_TYPES.find((known) => known === type),
  });
