import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type Role } from '../caller';

/** What every service may read of an account. */
@Entity('accounts', { schema: 'accounts', synchronize: false })
export class AccountRole {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  role!: Role;
}
