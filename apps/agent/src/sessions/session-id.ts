import { BadRequestException, Param, type PipeTransform } from '@nestjs/common';

/** Clients take `.` and `..` in a path for directions. */
export const SESSION_ID = /^(?!\.{1,2}$)[A-Za-z0-9._:-]{1,128}$/;
export const SESSION_ID_FORM = 'must be 1 to 128 of A-Z a-z 0-9 . _ : -, and neither . nor ..';

const checked: PipeTransform<string, string> = {
  transform(id) {
    if (SESSION_ID.test(id)) return id;
    throw new BadRequestException(`session_id: ${SESSION_ID_FORM}`);
  },
};

/** The session's id out of the path; 400 for what can be none. */
export const SessionId = () => Param('session_id', checked);
