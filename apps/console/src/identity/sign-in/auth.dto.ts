import {
  BooleanField,
  ChoiceField,
  EmailField,
  InstantProperty,
  TextField,
  TimeZoneField,
} from '@inference/dto';
import { CodedErrorResponse } from '@inference/openapi';
import { ApiProperty } from '@nestjs/swagger';
import { IdentifierField, UsernameField } from '../../accounts/account-fields';
import { AccountResponse } from '../../accounts/accounts.dto';
import { type Language, LANGUAGES } from '../../accounts/languages';
import { NewPasswordField, PASSWORD_RULE, PasswordField } from '../passwords/passwords.dto';
import { CodeField } from '../second-factor/two-factor.dto';
import { SessionUserResponse } from '../sessions/sessions.dto';

const MAX_PHONE_LENGTH = 40;
const MAX_CHALLENGE_LENGTH = 200;
const MAX_TERMS_VERSION_LENGTH = 64;

/** Also for a version that the site no longer has: the message about it names the current one. */
const AcceptedTermsField = (description: string) =>
  TextField({ description, example: '2026-11-01', maxLength: MAX_TERMS_VERSION_LENGTH, optional: true });

export class RegisterDto {
  @EmailField({
    description:
      'The e-mail address. It is stored in lower case; the domain may be international (`müller.example` and `xn--mller-kva.example` are one).',
  })
  email!: string;

  @NewPasswordField({ description: `The password. ${PASSWORD_RULE}` })
  password!: string;

  @TextField({
    description:
      'A phone number with its country code; spaces and punctuation are allowed. On the site `cn` a Chinese mobile number needs no country code.',
    example: '+1 415 555-0123',
    maxLength: MAX_PHONE_LENGTH,
    optional: true,
  })
  phone?: string;

  @UsernameField({
    description:
      'A username. It is stored in lower case. Names that look like staff or the system, such as `admin`, are refused.',
    optional: true,
  })
  username?: string;

  @ChoiceField(LANGUAGES, {
    description: 'Language of mails. By default that of `Accept-Language`, or else that of the site.',
    example: 'en',
    optional: true,
  })
  language?: Language;

  @AcceptedTermsField(
    'The version of the terms of use that the person accepts: `terms.version` of `GET /api/site`. Required on a site with terms, refused on others.',
  )
  accepted_terms?: string;
}

export class LoginDto {
  @IdentifierField({ description: 'The e-mail address, phone number or username of the account.' })
  identifier!: string;

  @PasswordField({ description: 'The password.' })
  password!: string;
}

export class VerifyChallengeDto {
  @TextField({
    description: 'The `id` of the challenge.',
    example: 'chal_8Qm2vXc7Lk0ZpT5yWb3NsA1uRd6FhJe4',
    maxLength: MAX_CHALLENGE_LENGTH,
  })
  challenge_id!: string;

  @CodeField({ description: 'The code that the authenticator shows now, or an unused recovery code.' })
  code!: string;
}

/** Answer to a complete sign-in. */
export class SessionResponse {
  @ApiProperty({
    description: 'The session token (JWT), to be sent as `Authorization: Bearer …`.',
    example: 'eyJhbGciOiJFUzI1NiIs…',
  })
  token!: string;

  @ApiProperty({ description: 'The account.' })
  user!: SessionUserResponse;
}

/** Answer to a sign-in of a suspended account whose first factor was right. */
export class SuspendedErrorResponse extends CodedErrorResponse {
  @InstantProperty({ description: 'Since when the account is suspended.', optional: true })
  suspended_at?: string;

  @ApiProperty({
    description: 'What staff tells the owner; null: nothing.',
    type: String,
    nullable: true,
    required: false,
    example: 'We have seen calls from many networks with your keys. Please write to us.',
  })
  suspension_message?: string | null;

  @ApiProperty({
    description: 'Whom to ask: a page or a `mailto:` address; null if the site names none.',
    type: String,
    nullable: true,
    required: false,
    example: 'mailto:help@example.com',
  })
  contact?: string | null;
}

/** The response to a suspended account. */
export const SUSPENDED = {
  description: '`account_suspended`: the account is suspended.',
  type: SuspendedErrorResponse,
};

const METHODS = ['totp', 'recovery_code'] as const;

export class LoginChallenge {
  @ApiProperty({
    description: 'Names the challenge. It stands for the password, so it has to be kept as secret.',
    example: 'chal_8Qm2vXc7Lk0ZpT5yWb3NsA1uRd6FhJe4',
  })
  id!: string;

  @ApiProperty({
    description: 'The kinds of codes that are accepted.',
    enum: METHODS,
    isArray: true,
    example: METHODS,
  })
  methods!: (typeof METHODS)[number][];

  @InstantProperty({ description: 'When the challenge ends.' })
  expires_at!: string;
}

/** First answer to a sign-in with two factors. `POST /api/auth/2fa/verify` completes the sign-in. */
export class ChallengeResponse {
  @ApiProperty({ description: 'What the second factor has to be sent with.' })
  challenge!: LoginChallenge;
}

/** An absent field does not change. */
export class UpdateMeDto {
  @ChoiceField(LANGUAGES, {
    description: 'Language of mails and receipts. Receipts that exist keep theirs.',
    example: 'zh-CN',
    optional: true,
  })
  language?: Language;

  @TimeZoneField({
    description: 'Where the days, weeks and months of spending limits begin.',
    example: 'Europe/Berlin',
    optional: true,
  })
  time_zone?: string;

  @BooleanField({
    description:
      'Whether the gateway may store responses of `POST /v1/responses` for 30 days. `false` deletes those that are stored.',
    optional: true,
  })
  stores_responses?: boolean;

  @AcceptedTermsField(
    'The version of the terms of use that the person accepts: `terms.version` of `GET /api/site`.',
  )
  accepted_terms?: string;
}

/** The terms of use that an account has accepted. */
class AcceptedTermsResponse {
  @ApiProperty({ description: 'Their version.', example: '2026-11-01' })
  version!: string;

  @InstantProperty({ description: 'When the account accepted them.' })
  accepted_at!: string;
}

/** The signed-in account. */
export class UserResponse extends AccountResponse {
  @ApiProperty({ description: 'Language of mails and receipts.', enum: LANGUAGES, example: 'en' })
  language!: Language;

  @ApiProperty({
    description:
      'Whether this session lacks the second factor that staff must have. It opens nothing but the routes to set one up.',
  })
  second_factor_required!: boolean;

  @ApiProperty({
    description: 'The routes for staff that this session may use; none for a customer.',
    type: [String],
    example: ['GET /api/cost-report'],
  })
  staff_routes!: string[];

  @ApiProperty({
    description: 'Where the days, weeks and months of spending limits begin.',
    example: 'Europe/Berlin',
  })
  time_zone!: string;

  @ApiProperty({
    description: 'Whether the gateway may store responses of `POST /v1/responses` for 30 days.',
    example: false,
  })
  stores_responses!: boolean;

  @ApiProperty({ description: 'False for an account that signs in through a provider only.' })
  has_password!: boolean;

  @ApiProperty({
    description:
      'The terms of use that the account accepted last; null if it has accepted none. On a site with terms the pages ask for those of `GET /api/site`.',
    type: AcceptedTermsResponse,
    nullable: true,
  })
  accepted_terms!: AcceptedTermsResponse | null;
}
