import { BadRequestException, Param, type PipeTransform } from '@nestjs/common';

/** `.` and `..` are excluded because clients resolve them as relative path segments. */
export const SESSION_ID = /^(?!\.{1,2}$)[A-Za-z0-9._:-]{1,128}$/;
export const SESSION_ID_FORM = 'must be 1 to 128 of A-Z a-z 0-9 . _ : -, and neither . nor ..';

const checked: PipeTransform<string, string> = {
  transform(id) {
    if (SESSION_ID.test(id)) return id;
    throw new BadRequestException(`session_id: ${SESSION_ID_FORM}`);
  },
};

/** The session id from the path; answers 400 if it is malformed. */
export const SessionId = () => Param('session_id', checked);
