import { type Currency } from '@inference/config';
import {
  CurrencyProperty,
  IdField,
  InstantProperty,
  LineField,
  MAX_EMAIL_LENGTH,
  MoneyProperty,
  NextCursorProperty,
  TextField,
  typedPlainly,
} from '@inference/dto';
import { type Role, ROLES } from '@inference/guards';
import { PageQuery } from '@inference/http';
import { type ExactNumber } from '@inference/money';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { type Account } from './account.entity';
import { IdentifierField } from './account-fields';

/** As many as a page may have. */
const ACCOUNT_IDS = /^acct_[0-9A-Za-z]{1,64}(,acct_[0-9A-Za-z]{1,64}){0,99}$/;

export class AccountsQuery extends PageQuery {
  @IdentifierField({
    description:
      'Finds the one account that signs in with this e-mail address, phone number or username. It has to be whole.',
    optional: true,
  })
  identifier?: string;

  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? typedPlainly(value) : value))
  @LineField({
    description:
      'Finds the accounts of which this is a part of the e-mail address, the username, the phone number (3 digits or more) or the id (4 characters or more).',
    example: 'example.com',
    maxLength: MAX_EMAIL_LENGTH,
    optional: true,
  })
  search?: string;

  @TextField({
    description: 'Finds the accounts with these ids, of which there may be 100, separated by commas.',
    example: 'acct_0Vc3kZ8dQ1mXw7RtYb2LsA',
    pattern: [ACCOUNT_IDS, 'must list up to 100 ids like acct_0Vc3kZ8dQ1mXw7RtYb2LsA, separated by commas'],
    optional: true,
  })
  ids?: string;
}

export class AccountPath {
  @IdField({ description: 'The id of the account.', noun: 'account', prefix: 'acct' })
  id!: string;
}

/** An account as its owner and admins see it. */
export class AccountResponse {
  @ApiProperty({ description: 'Names the account in this API.', example: 'acct_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  id!: string;

  @ApiProperty({
    description: 'The e-mail address, in lower case; an international domain in Unicode.',
    example: 'ann@example.com',
  })
  email!: string;

  @ApiProperty({ description: 'Whether the owner has proved to receive mail at the address.' })
  email_verified!: boolean;

  @ApiProperty({
    description: 'The phone number (E.164); null if there is none.',
    type: String,
    nullable: true,
    example: '+14155550123',
  })
  phone!: string | null;

  @ApiProperty({
    description: 'The username, in lower case; null if there is none.',
    type: String,
    nullable: true,
    example: 'ann',
  })
  username!: string | null;

  @ApiProperty({ description: 'What the account may do.', enum: ROLES, example: 'user' })
  role!: Role;

  @ApiProperty({ description: 'Whether a sign-in needs a second factor.' })
  two_factor_enabled!: boolean;

  @InstantProperty({ description: 'When the account was made.' })
  created_at!: string;
}

/** That staff has shut out an account or a key. */
export class SuspensionResponse {
  @InstantProperty({ description: 'Since when.' })
  suspended_at!: string;

  @ApiProperty({
    description: 'Why, for staff.',
    type: String,
    nullable: true,
    example: 'Stolen card, ticket 4711.',
  })
  reason!: string | null;

  @ApiProperty({
    description: 'Why, for the owner; null: only that it is suspended.',
    type: String,
    nullable: true,
    example: 'Please write to us.',
  })
  message!: string | null;
}

/** Since when and why an account or a key is suspended; null if it is not. */
export function suspensionOf({
  suspendedAt,
  suspensionReason: reason,
  suspensionMessage: message,
}: Pick<Account, 'suspendedAt' | 'suspensionReason' | 'suspensionMessage'>): SuspensionResponse | null {
  return suspendedAt && { suspended_at: suspendedAt.toISOString(), reason, message };
}

/** An account with the balance of its wallet. */
export class AdminAccountResponse extends AccountResponse {
  @MoneyProperty({ description: 'The money in its wallet now, in `currency`.', example: 12.345678901234 })
  balance!: ExactNumber;

  @CurrencyProperty({ description: 'The currency of the wallet.' })
  currency!: Currency;

  @ApiProperty({
    description: 'Since when and why staff has shut it out; null: it is not suspended.',
    type: SuspensionResponse,
    nullable: true,
  })
  suspension!: SuspensionResponse | null;
}

export class AccountListResponse {
  @ApiProperty({ description: 'The accounts of the page, newest first.', type: [AdminAccountResponse] })
  accounts!: AdminAccountResponse[];

  @NextCursorProperty()
  next_cursor!: string | null;
}
