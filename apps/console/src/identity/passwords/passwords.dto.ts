import { IdentifierField } from '../accounts/account-fields.decorator';
import { MailTokenField } from '../email-verification/mail-token-field.decorator';
import { NewPasswordField, PasswordField } from './password-fields.decorator';

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

  @NewPasswordField({ description: 'The new password.' })
  password!: string;
}

export class ChangePasswordDto {
  @PasswordField({ description: 'The present password.', example: 'battery horse correct' })
  current_password!: string;

  @NewPasswordField({ description: 'The new password.' })
  new_password!: string;
}
