import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Account } from '../../identity/accounts/account.entity';
import { Package } from '../models/model-packages/package.entity';

@Entity('package_downloads', { schema: 'catalogue' })
@Index('package_downloads_days', ['day'])
export class PackageDownload {
  @ForeignKey(() => Package)
  @PrimaryColumn('text')
  packageId!: string;

  @PrimaryColumn('date')
  day!: string;

  @ForeignKey(() => Account)
  @PrimaryColumn('text')
  accountId!: string;

  @Column('integer')
  links!: number;
}
