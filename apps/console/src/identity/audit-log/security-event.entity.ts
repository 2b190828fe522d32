import { TimeColumn } from '@inference/database';
import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Account } from '../accounts/account.entity';

@Entity('security_events', { schema: 'accounts' })
@Index('security_events_account', ['accountId', 'createdAt', 'id'])
// CREATE INDEX security_events_networks ON accounts.security_events USING btree (account_id, accounts.address_network(address), created_at) WHERE (type = ANY (ARRAY['session.opened'::text, 'password.reset'::text]))
@Index('security_events_networks', { synchronize: false })
@Index('security_events_time', ['createdAt', 'id'])
export class SecurityEvent {
  @PrimaryColumn('text')
  id!: string;

  @ForeignKey(() => Account)
  @Column('text', { nullable: true })
  accountId!: string | null;

  @Column('text')
  type!: string;

  @ForeignKey(() => Account)
  @Column('text', { nullable: true })
  actorId!: string | null;

  @Column('text', { nullable: true })
  address!: string | null;

  @Column('text', { nullable: true })
  userAgent!: string | null;

  @Column('jsonb', { default: () => "'{}'" })
  details!: unknown;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  createdAt!: Date;
}
