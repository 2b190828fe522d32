import { BadRequestException } from '@nestjs/common';

export interface FieldFault {
  /** Names separated by dots; empty for the value itself. */
  path: string;
  message: string;
}

export const UNKNOWN_FIELD = 'is not known here';

/** The 400 that names each fault (`field: what is wrong`). */
export const badRequest = (faults: FieldFault[]) =>
  new BadRequestException(faults.map(({ path, message }) => `${path}: ${message}`).join('; '));

/** The 400 that names each of the unknown fields or parameters. */
export const unknownFields = (paths: string[]) =>
  badRequest(paths.map((path) => ({ path, message: UNKNOWN_FIELD })));
