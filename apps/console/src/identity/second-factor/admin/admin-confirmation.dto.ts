import { PasswordField } from '../../passwords/password-fields.decorator';
import { CodeField } from '../two-factor.dto';

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
