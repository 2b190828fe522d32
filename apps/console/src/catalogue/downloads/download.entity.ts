import { BigIntColumn } from '@inference/database';
import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Account } from '../../accounts/account.entity';
import { type Component } from '../component';
import { Package } from '../models/model.entity';

/** One download: an account was given links to a package on a day, however many. */
@Entity('package_downloads', { schema: 'catalogue' })
@Index('package_downloads_days', ['day'])
export class PackageDownload {
  @ForeignKey(() => Package)
  @PrimaryColumn('text')
  packageId!: string;

  /** UTC date, such as 2026-01-31. */
  @PrimaryColumn('date')
  day!: string;

  @ForeignKey(() => Account)
  @PrimaryColumn('text')
  accountId!: string;

  @Column('integer')
  links!: number;
}

/** How often a release was sent as the latest one of its component; 304 responses do not count. */
@Entity('release_lookups', { schema: 'catalogue' })
export class ReleaseLookup {
  @PrimaryColumn('text')
  component!: Component;

  @PrimaryColumn('text')
  tagName!: string;

  /** UTC date, such as 2026-01-31. */
  @PrimaryColumn('date')
  day!: string;

  @BigIntColumn()
  lookups!: bigint;
}
