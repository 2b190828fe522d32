import { type FieldOptions, TextField, typedPlainly } from '@inference/dto';
import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { PasswordField } from '../passwords/passwords.dto';

const MAX_CODE_LENGTH = 64;

/** A text that is too long is left as it is, so that it is refused. */
const withoutSpaces = () =>
  Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' && value.length <= MAX_CODE_LENGTH
      ? typedPlainly(value).replace(/\s/g, '')
      : value,
  );

/** Six digits with any spaces, also in full width, or a recovery code. The DTO holds it plainly and without spaces. */
export const CodeField = (options: FieldOptions): PropertyDecorator =>
  applyDecorators(
    withoutSpaces(),
    TextField({
      example: '123456',
      ...options,
      maxLength: MAX_CODE_LENGTH,
      pattern: [/\S/, 'must not be empty'],
    }),
  );

/** What an admin confirms a change with that outlives the admin's session: the password, or a code of the second factor. */
export class AdminConfirmationDto {
  @PasswordField({
    description:
      'The password of the admin who acts. An admin without a password sends a code, or must have signed in within the last 10 minutes.',
    optional: true,
  })
  password?: string;

  @CodeField({
    description:
      'Instead of the password: the code that the admin’s authenticator shows now, or an unused recovery code.',
    optional: true,
  })
  code?: string;
}

export class EnableTwoFactorDto {
  @CodeField({ description: 'The code that the authenticator shows now.' })
  code!: string;
}

/** What a signed-in account confirms a change of its second factor with. */
export class ConfirmTwoFactorDto {
  @PasswordField({
    description:
      'The password of the account. Without a password it is absent, and the sign-in must be at most 10 minutes old.',
    optional: true,
  })
  password?: string;

  @CodeField({ description: 'The code that the authenticator shows now, or an unused recovery code.' })
  code!: string;
}

export class TwoFactorSetupResponse {
  @ApiProperty({
    description: 'The secret in Base32, to be typed into an authenticator app.',
    example: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
  })
  secret!: string;

  @ApiProperty({
    description: 'The secret as a URL, which authenticator apps read.',
    example:
      'otpauth://totp/Platform:ann%40example.com?issuer=Platform&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&algorithm=SHA1&digits=6&period=30',
  })
  otpauth_url!: string;

  @ApiProperty({
    description: 'QR code of `otpauth_url`: a PNG as a data URL.',
    example: 'data:image/png;base64,iVBORw0KGgo…',
  })
  qr_code!: string;
}

export class RecoveryCodesResponse {
  @ApiProperty({
    description:
      'Ten codes; each works once in place of an authenticator’s code. They are shown in this answer only.',
    type: [String],
    example: ['7hkm-2xq9-pd4w-tz63'],
  })
  recovery_codes!: string[];
}
