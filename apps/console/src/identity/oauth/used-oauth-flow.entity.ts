import { TimeColumn } from '@inference/database';
import { Entity, Index, PrimaryColumn } from 'typeorm';

@Entity('oauth_flows_used', { schema: 'accounts' })
@Index('oauth_flows_used_expiry', ['expiresAt'])
export class UsedOAuthFlow {
  @PrimaryColumn('bytea')
  idHash!: Buffer;

  @TimeColumn()
  expiresAt!: Date;
}
