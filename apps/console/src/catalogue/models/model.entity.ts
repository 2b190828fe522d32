import { TimeColumn, BigIntColumn } from '@inference/database';
import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique, Check } from 'typeorm';
import { Account } from '../../accounts/account.entity';

/** A model that customers download. It is public if it has a published package. */
@Entity('models', { schema: 'catalogue' })
@Index('models_packages', ['packageId'], { where: 'package_id IS NOT NULL' })
@ForeignKey(() => Package, ['slug', 'packageId'], ['slug', 'id'])
@Unique(['id'])
export class Model {
  @PrimaryColumn('text')
  slug!: string;

  @Column('text')
  id!: string;

  @Column('text')
  name!: string;

  /** Text for people; may be empty. */
  @Column('text')
  description!: string;

  @Column('text', { nullable: true })
  family!: string | null;

  @Column('text', { nullable: true })
  parameters!: string | null;

  @Column('text', { nullable: true })
  quantization!: string | null;

  @Column('text', { nullable: true })
  format!: string | null;

  @Column('text', { nullable: true })
  license!: string | null;

  /** The published package. Null if none is published. */
  @Column('text', { nullable: true })
  packageId!: string | null;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  createdAt!: Date;

  /** The last change of the description or of what is published. */
  @TimeColumn({ default: () => 'clock_timestamp()' })
  changedAt!: Date;
}

/** One version of a model: an immutable file, which the storage holds under the id of the package. */
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

  /** The name under which customers save the file. */
  @Column('text')
  fileName!: string;

  /** Bytes of the file. */
  @BigIntColumn()
  size!: bigint;

  /** Null while it is being uploaded. */
  @Column('bytea', { nullable: true })
  sha256!: Buffer | null;

  /** The admin. */
  @ForeignKey(() => Account)
  @Column('text')
  uploadedBy!: string;

  /** When the upload began. */
  @TimeColumn({ default: () => 'clock_timestamp()' })
  createdAt!: Date;

  /** The replica that receives the upload extends this time. After it the upload counts as abandoned. */
  @TimeColumn({ nullable: true })
  uploadingUntil!: Date | null;

  /** When the upload was complete. */
  @TimeColumn({ nullable: true })
  storedAt!: Date | null;

  /** When it was published for the first time. */
  @TimeColumn({ nullable: true })
  publishedAt!: Date | null;

  @TimeColumn({ nullable: true })
  removedAt!: Date | null;

  /** When the file was deleted from the storage. */
  @TimeColumn({ nullable: true })
  purgedAt!: Date | null;
}
