const WIDER_ROLES =
  'The check allows more roles than before. An older service answers 403 to those that it does not know on every route for staff, and never gives one.';
const SUMMED_AGAIN =
  'It came with 0060_day_figures, after the previous version, which does not know it. What was in it is summed again.';

/**
 * Changes of migrations since the previous version that a service of that version may trip over, and why they are there all the
 * same. Each is announced in `CHANGELOG.md`.
 */
export const ACCEPTED_CHANGES: Record<string, string> = {
  '0037_batched_indexing: ALTER TABLE memo.postings ALTER data DROP NOT NULL':
    'Rows without data belong to segments that a newer memo service has written. An older one finds no words in them, and its merges of them fail without a change.',
  '0057_staff_roles: ALTER TABLE accounts.sessions ADD CONSTRAINT sessions_second_factor_check':
    'It checks a new column, which earlier versions leave null.',
  '0057_staff_roles: ALTER TABLE accounts.accounts DROP CONSTRAINT accounts_role_check': WIDER_ROLES,
  '0057_staff_roles: ALTER TABLE accounts.accounts ADD CONSTRAINT accounts_role_check': WIDER_ROLES,
  '0074_relayed_calls: DROP FUNCTION metering.claim_call':
    'It came with 0062_idempotent_calls, after the previous version, which does not call it.',
  '0081_hour_figures: TRUNCATE billing.day_models': SUMMED_AGAIN,
  '0081_hour_figures: TRUNCATE billing.day_accounts': SUMMED_AGAIN,
};
