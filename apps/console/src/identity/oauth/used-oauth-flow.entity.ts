import { TimeColumn } from '@inference/database';
import { Entity, Index, PrimaryColumn } from 'typeorm';

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
