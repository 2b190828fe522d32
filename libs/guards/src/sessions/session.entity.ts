import { TimeColumn } from '@inference/database';
import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

@Entity('sessions', { schema: 'accounts' })
@Index('sessions_account', ['accountId'])
@Index('sessions_expiry', ['expiresAt'])
export class Session {
  @PrimaryColumn('text')
  id!: string;

  @ForeignKey('accounts')
  @Column('text')
  accountId!: string;

  @TimeColumn({ default: () => 'now()' })
  createdAt!: Date;

  @TimeColumn()
  expiresAt!: Date;

  @TimeColumn({ nullable: true })
  endedAt!: Date | null;
}
