import { TimeColumn } from '@inference/database';
import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Account } from '../account.entity';

/** `<subject>.<what happened to it>`. */
export const AUDIT_EVENT_TYPES = [
  'account.created',
  'account.reactivated',
  'account.role_changed',
  'account.suspended',
  'account.view_began',
  'account.view_ended',
  'api_key.changed',
  'api_key.created',
  'api_key.deleted',
  'api_key.leaked',
  'api_key.reactivated',
  'api_key.suspended',
  'api_key.rotated',
  'email.verified',
  'identity.linked',
  'identity.unlinked',
  'login.challenged',
  'login.failed',
  'password.changed',
  'password.failed',
  'password.reset',
  'password.reset_requested',
  'recovery_codes.replaced',
  'response_storage.disabled',
  'response_storage.enabled',
  'second_factor.failed',
  'session.ended',
  'session.opened',
  'session.others_ended',
  'session.refresh_token_reused',
  'two_factor.disabled',
  'two_factor.enabled',
  'workspace_key.deleted',
  'admin.adjustment_posted',
  'admin.announcement_changed',
  'admin.changelog_changed',
  'admin.exchange_rates_published',
  'admin.export_repeated',
  'admin.limits_removed',
  'admin.limits_set',
  'admin.model_changed',
  'admin.package_removed',
  'admin.package_uploaded',
  'admin.prices_published',
  'admin.provider_event_closed',
  'admin.refund_ordered',
  'admin.release_changed',
  'admin.served_model_changed',
  'admin.upstream_changed',
] as const;
export type AuditEventType = (typeof AUDIT_EVENT_TYPES)[number];

/** Something that happened to the credentials of an account, or that an admin did. Rows are never changed. */
@Entity('security_events', { schema: 'accounts' })
@Index('security_events_actor', ['actorId', 'createdAt', 'id'])
@Index('security_events_account', ['accountId', 'createdAt', 'id'])
// CREATE INDEX security_events_networks ON accounts.security_events USING btree (account_id, accounts.address_network(address), created_at) WHERE (type = ANY (ARRAY['session.opened'::text, 'password.reset'::text]))
@Index('security_events_networks', { synchronize: false })
@Index('security_events_time', ['createdAt', 'id'])
export class SecurityEvent {
  @PrimaryColumn('text')
  id!: string;

  /** The account that it happened to; null for a failed sign-in with an unknown identifier. */
  @ForeignKey(() => Account)
  @Column('text', { nullable: true })
  accountId!: string | null;

  @Column('text')
  type!: AuditEventType;

  /** The account that did it; null if nobody was signed in, and for an operator's command. */
  @ForeignKey(() => Account)
  @Column('text', { nullable: true })
  actorId!: string | null;

  /** The IP address of the request; null for an operator's command. */
  @Column('text', { nullable: true })
  address!: string | null;

  @Column('text', { nullable: true })
  userAgent!: string | null;

  /** Depends on the type. Contains no secrets. */
  @Column('jsonb', { default: () => "'{}'" })
  details!: Record<string, string | number | boolean | null>;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  createdAt!: Date;
}
