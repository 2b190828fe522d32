import { TimeColumn } from '@inference/database';
import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { Account } from '../accounts/account.entity';

@Entity('oauth_identities', { schema: 'accounts' })
@Index('oauth_identities_account', ['accountId', 'createdAt'])
@Unique(['issuer', 'subject'])
export class OAuthIdentity {
  @PrimaryColumn('text')
  id!: string;

  @ForeignKey(() => Account)
  @Column('text')
  accountId!: string;

  @Column('text')
  issuer!: string;

  @Column('text')
  subject!: string;

  @Column('text', { nullable: true })
  email!: string | null;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  createdAt!: Date;
}
