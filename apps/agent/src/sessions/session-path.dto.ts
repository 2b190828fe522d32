import { TextField, type FieldOptions } from '@inference/dto';

/** `.` and `..` are excluded because clients resolve them as relative path segments. */
const SESSION_ID = /^(?!\.{1,2}$)[A-Za-z0-9._:-]{1,128}$/;

/** The id of a session, which its account may choose. */
export const SessionIdField = (options: FieldOptions): PropertyDecorator =>
  TextField({
    example: 'support-4711',
    ...options,
    pattern: [SESSION_ID, 'must be 1 to 128 of A-Z a-z 0-9 . _ : -, and neither . nor ..'],
  });

export class SessionPath {
  @SessionIdField({ description: 'The id of the session.' })
  session_id!: string;
}
