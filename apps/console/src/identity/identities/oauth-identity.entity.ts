import { TimeColumn } from '@inference/database';
import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { Account } from '../../accounts/account.entity';

/** An authorization code flow that has come back, so that it cannot be used again. */
@Entity('oauth_flows_used', { schema: 'accounts' })
@Index('oauth_flows_used_expiry', ['expiresAt'])
export class UsedOAuthFlow {
  /** SHA-256 of the flow's id. */
  @PrimaryColumn('bytea')
  idHash!: Buffer;

  @TimeColumn()
  expiresAt!: Date;
}

/** An account of an OpenID provider that is linked to an account here. */
@Entity('oauth_identities', { schema: 'accounts' })
@Index('oauth_identities_account', ['accountId', 'createdAt'])
@Unique(['issuer', 'subject'])
export class OAuthIdentity {
  @PrimaryColumn('text')
  id!: string;

  @ForeignKey(() => Account)
  @Column('text')
  accountId!: string;

  /** The provider's issuer identifier. */
  @Column('text')
  issuer!: string;

  /** Names the account at the provider. */
  @Column('text')
  subject!: string;

  /** The address that the provider named when the identity was linked; null if it named none. */
  @Column('text', { nullable: true })
  email!: string | null;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  createdAt!: Date;
}
