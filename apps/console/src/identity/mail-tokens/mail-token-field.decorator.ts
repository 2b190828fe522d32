import { type FieldOptions, TextField } from '@inference/dto';

/** Chosen: longer than any token. */
const MAX_TOKEN_LENGTH = 200;

/** A token that came by mail. */
export const MailTokenField = (options: FieldOptions): PropertyDecorator =>
  TextField({ ...options, maxLength: MAX_TOKEN_LENGTH });
