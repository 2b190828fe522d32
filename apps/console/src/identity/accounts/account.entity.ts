import { TimeColumn } from '@inference/database';
import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

@Entity('accounts', { schema: 'accounts' })
@Index('accounts_admins', ['id'], { where: "role = 'admin'" })
@Index('accounts_email', ['email'], { unique: true })
@Index('accounts_phone', ['phone'], { unique: true })
@Index('accounts_time', ['createdAt', 'id'])
@Index('accounts_username', ['username'], { unique: true })
@Check('accounts_email_check', 'email = lower(email)')
@Check('accounts_language_check', "language IN ('en', 'zh-CN')")
@Check('accounts_role_check', "role IN ('user', 'analyst', 'admin')")
@Check('accounts_username_check', 'username = lower(username)')
export class Account {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  email!: string;

  @Column('text', { nullable: true })
  phone!: string | null;

  @Column('text', { nullable: true })
  username!: string | null;

  @Column('text', { nullable: true })
  passwordHash!: string | null;

  @Column('text', { default: 'user' })
  role!: string;

  @TimeColumn({ default: () => 'now()' })
  createdAt!: Date;

  @TimeColumn({ nullable: true })
  emailVerifiedAt!: Date | null;

  @Column('text', { default: 'en' })
  language!: string;

  @Column('integer', { default: 0 })
  credentialsVersion!: number;
}
