import {
  canonicalEmail,
  EMAIL_MESSAGE,
  type FieldOptions,
  inLowerCase,
  MAX_EMAIL_LENGTH,
  TextField,
} from '@inference/dto';
import { applyDecorators } from '@nestjs/common';
import { z } from 'zod';

/** An e-mail address that a provider or an operator names. Fields of requests have `EmailField`. */
export const emailField = z.string().transform((text, context) => {
  const email = canonicalEmail(text);
  if (email === null) context.addIssue({ code: 'custom', message: EMAIL_MESSAGE });
  return email ?? z.NEVER;
});

const USERNAME = /^[A-Za-z][A-Za-z0-9._-]{2,31}$/;
const USERNAME_MESSAGE = 'must begin with a letter and have 3 to 32 of a-z, 0-9, ".", "_", "-"';

/** A username. The DTO holds it as it is stored: in lower case, without surrounding spaces. */
export const UsernameField = (options: FieldOptions): PropertyDecorator =>
  applyDecorators(
    inLowerCase(),
    TextField({ example: 'ann', ...options, trim: true, pattern: [USERNAME, USERNAME_MESSAGE] }),
  );

/** An e-mail address, a phone number or a username, as it was typed. */
export const IdentifierField = (options: FieldOptions): PropertyDecorator =>
  TextField({ example: 'ann@example.com', ...options, maxLength: MAX_EMAIL_LENGTH });
