import { type FieldOptions, TextField } from '@inference/dto';
import { ApiProperty, PickType } from '@nestjs/swagger';
import { IdentityResponse } from '../identities/identities.dto';
import { PasswordField } from '../passwords/passwords.dto';
import { SuspendedErrorResponse } from '../sign-in/auth.dto';

const MAX_RETURN_CHARS = 512;
/** Printable ASCII without a backslash. Two slashes or a backslash could make a browser read the following text as a host. */
const RETURN_PATH = /^\/(?:[!-.0-[\]-~]+\/)*[!-.0-[\]-~]*$/;

const ReturnToField = (options: FieldOptions): PropertyDecorator =>
  TextField({
    example: '/settings/keys',
    ...options,
    maxLength: MAX_RETURN_CHARS,
    pattern: [RETURN_PATH, 'must be a path that begins with one "/" and has no other host'],
  });

export class ProviderPath {
  @TextField({
    description: 'Name of the provider.',
    example: 'google',
    pattern: [/^[a-z][a-z0-9-]{0,31}$/, 'must be 1 to 32 of a-z 0-9 -'],
    notFound: 'no such provider',
  })
  provider!: string;
}

export class BeginSignInQuery {
  @ReturnToField({
    description: 'Path of the console’s page to which the sign-in returns.',
    optional: true,
  })
  return_to?: string;
}

export class LinkIdentityDto {
  @PasswordField({
    description:
      'The password of the account. Without a password it is absent, and the sign-in must be at most 10 minutes old.',
    optional: true,
  })
  password?: string;

  @ReturnToField({
    description: 'Path of the console’s page to which the link returns; `/settings/identities` by default.',
    optional: true,
  })
  return_to?: string;
}

export class AuthorizationResponse {
  @ApiProperty({
    description: 'Where the user’s browser has to go.',
    example:
      'https://accounts.google.com/o/oauth2/v2/auth?client_id=console&response_type=code&scope=openid+email',
  })
  authorization_url!: string;
}

/** Answer to a flow that links an identity. */
export class LinkedIdentityResponse {
  @ApiProperty({ description: 'The identity that is linked now.' })
  identity!: IdentityResponse;
}

/** Chosen: longer than any notice, which holds a text of a thousand characters. */
const MAX_NOTICE_LENGTH = 12_000;

export class SuspensionNoticeDto {
  @TextField({
    description: 'The `notice` of the fragment.',
    example: 'eyJhbGciOiJkaXIi…',
    maxLength: MAX_NOTICE_LENGTH,
  })
  notice!: string;
}

export class SuspensionNoticeResponse extends PickType(SuspendedErrorResponse, [
  'suspended_at',
  'suspension_message',
  'contact',
]) {}
