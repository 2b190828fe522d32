import { type Schemas } from '../../api/console-api';
import { type PlainTextKey } from '../../language/define-texts';
import { type en } from './settings-texts';

type Key = PlainTextKey<typeof en>;

/** What happened, for the types that an account sees; types of a newer service are a change of the account. */
const EVENT_KEYS: Partial<Record<Schemas['AuditEventType'], Key>> = {
  'account.created': 'event.accountCreated',
  'account.reactivated': 'event.accountReactivated',
  'account.role_changed': 'event.roleChanged',
  'account.suspended': 'event.accountSuspended',
  'account.view_began': 'event.viewBegan',
  'account.view_ended': 'event.viewEnded',
  'api_key.changed': 'event.keyChanged',
  'api_key.created': 'event.keyCreated',
  'api_key.deleted': 'event.keyDeleted',
  'api_key.leaked': 'event.keyLeaked',
  'api_key.reactivated': 'event.keyReactivated',
  'api_key.suspended': 'event.keySuspended',
  'api_key.rotated': 'event.keyRotated',
  'email.verified': 'event.emailVerified',
  'identity.linked': 'event.identityLinked',
  'identity.unlinked': 'event.identityUnlinked',
  'login.challenged': 'event.challenged',
  'login.failed': 'event.signInFailed',
  'password.changed': 'event.passwordChanged',
  'password.failed': 'event.passwordFailed',
  'password.reset': 'event.passwordReset',
  'password.reset_requested': 'event.passwordResetRequested',
  'recovery_codes.replaced': 'event.codesReplaced',
  'response_storage.disabled': 'event.storageDisabled',
  'response_storage.enabled': 'event.storageEnabled',
  'second_factor.failed': 'event.secondFactorFailed',
  'session.ended': 'event.sessionEnded',
  'session.opened': 'event.sessionOpened',
  'session.others_ended': 'event.othersEnded',
  'session.refresh_token_reused': 'event.tokenReused',
  'admin.adjustment_posted': 'event.adjusted',
  'admin.limits_removed': 'event.limits',
  'admin.limits_set': 'event.limits',
  'admin.provider_event_closed': 'event.providerEventClosed',
  'admin.refund_ordered': 'event.refunded',
  'two_factor.disabled': 'event.twoFactorDisabled',
  'two_factor.enabled': 'event.twoFactorEnabled',
  'workspace_key.deleted': 'event.workspaceKeyDeleted',
};

export const eventTextKey = (type: Schemas['AuditEventType']): Key => EVENT_KEYS[type] ?? 'event.other';

const LINK_ERROR_KEYS: Record<string, Key> = {
  flow_invalid: 'link.flowInvalid',
  access_denied: 'link.accessDenied',
  identity_taken: 'link.taken',
  session_ended: 'link.flowInvalid',
  provider_unavailable: 'link.unavailable',
};

/** The text for `#error=<code>`, with which the linking of an identity comes back; undefined without an error. */
export function linkErrorKey(fragment: string): Key | undefined {
  const code = new URLSearchParams(fragment.replace(/^#/, '')).get('error');
  if (code === null) return undefined;
  return LINK_ERROR_KEYS[code] ?? 'link.refused';
}
