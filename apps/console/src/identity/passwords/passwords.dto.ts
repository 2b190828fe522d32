import { IdentifierField } from '../accounts/account-fields.decorator';
import { MailTokenField } from '../mail-tokens/mail-token-field.decorator';
import { NewPasswordField, PASSWORD_RULE, PasswordField } from './password-fields.decorator';

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
