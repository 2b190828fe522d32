import { TimeColumn } from '@inference/database';
import { Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { Account } from './account.entity';

/** That an account has accepted a version of the terms of use. */
@Entity('terms_acceptances', { schema: 'accounts' })
export class TermsAcceptance {
  @ForeignKey(() => Account)
  @PrimaryColumn('text')
  accountId!: string;

  @PrimaryColumn('text')
  version!: string;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  acceptedAt!: Date;
}
