import { BigIntColumn, TimeColumn } from '@inference/database';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { Account } from '../../../identity/accounts/account.entity';

@Entity('packages', { schema: 'catalogue' })
@Index('packages_published', ['publishedAt', 'id'], { where: 'published_at IS NOT NULL' })
@Index('packages_to_purge', ['removedAt'], { where: 'purged_at IS NULL AND removed_at IS NOT NULL' })
@Index('packages_uploading', ['uploadingUntil'], { where: 'stored_at IS NULL AND removed_at IS NULL' })
@Index('packages_version', ['slug', 'version'], {
  unique: true,
  where: 'stored_at IS NOT NULL AND (removed_at IS NULL OR published_at IS NOT NULL)',
})
@Check('packages_check', '(stored_at IS NULL) = (sha256 IS NULL)')
@Check('packages_check1', '(stored_at IS NULL) = (uploading_until IS NOT NULL)')
@Check('packages_check2', 'published_at IS NULL OR stored_at IS NOT NULL')
@Check('packages_check3', 'purged_at IS NULL OR removed_at IS NOT NULL')
@Check('packages_sha256_check', 'length(sha256) = 32')
@Check('packages_size_check', 'size >= 0')
@Unique(['slug', 'id'])
export class Package {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  slug!: string;

  @Column('text')
  version!: string;

  @Column('text')
  fileName!: string;

  @BigIntColumn()
  size!: bigint;

  @Column('bytea', { nullable: true })
  sha256!: Buffer | null;

  @ForeignKey(() => Account)
  @Column('text')
  uploadedBy!: string;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @TimeColumn({ nullable: true })
  uploadingUntil!: Date | null;

  @TimeColumn({ nullable: true })
  storedAt!: Date | null;

  @TimeColumn({ nullable: true })
  publishedAt!: Date | null;

  @TimeColumn({ nullable: true })
  removedAt!: Date | null;

  @TimeColumn({ nullable: true })
  purgedAt!: Date | null;
}
