import { type FieldOptions, TextField } from '@inference/dto';
import { IdentifierField } from '../../accounts/account-fields';
import { MailTokenField } from '../mail-token';

export const MIN_PASSWORD_LENGTH = 8;
export const MAX_PASSWORD_LENGTH = 256;

/** For API documents: what `refuseWeakPassword` checks. */
export const PASSWORD_RULE =
  'Common passwords and the names of the account, also with a few digits or signs added, are refused.';

/** A password that an account is to get. */
export const NewPasswordField = (options: FieldOptions): PropertyDecorator =>
  TextField({
    example: 'correct horse battery',
    ...options,
    minLength: MIN_PASSWORD_LENGTH,
    maxLength: MAX_PASSWORD_LENGTH,
    format: 'password',
  });

/** A password that is to be compared. It may be shorter than a new one. */
export const PasswordField = (options: FieldOptions): PropertyDecorator =>
  TextField({
    example: 'correct horse battery',
    ...options,
    maxLength: MAX_PASSWORD_LENGTH,
    format: 'password',
  });

export class ForgottenPasswordDto {
  @IdentifierField({ description: 'The e-mail address, phone number or username of the account.' })
  identifier!: string;
}

/** For clients whose form asks for an address. */
export class ForgottenPasswordByEmailDto {
  @IdentifierField({ description: 'The same as `identifier`, under another name.' })
  email!: string;
}

export class ResetPasswordDto {
  @MailTokenField({
    description: 'The token of the mail.',
    example: 'rst_8Qm2vXc7Lk0ZpT5yWb3NsA1uRd6FhJe4gYi9oCxGtBq',
  })
  token!: string;

  @NewPasswordField({ description: `The new password. ${PASSWORD_RULE}` })
  password!: string;
}

export class ChangePasswordDto {
  @PasswordField({ description: 'The present password.', example: 'battery horse correct' })
  current_password!: string;

  @NewPasswordField({ description: `The new password. ${PASSWORD_RULE}` })
  new_password!: string;
}
