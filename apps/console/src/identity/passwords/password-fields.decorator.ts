import { type FieldOptions, TextField } from '@inference/dto';

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
