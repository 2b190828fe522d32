import { BadRequestException } from '@nestjs/common';

export interface FieldFault {
  /** Names separated by dots; empty for the value itself. */
  path: string;
  message: string;
}

export const UNKNOWN_FIELD = 'is not known here';

/** Chosen: more than a person mends at once, and few enough that an answer stays small whatever was sent. */
const MAX_NAMED_FAULTS = 10;
/** Chosen: longer than the path of any field of a DTO class. */
const MAX_PATH_CHARS = 120;

/** The 400 that names each of the first faults (`field: what is wrong`), and counts the others. */
export class FieldFaultsException extends BadRequestException {
  constructor(readonly faults: FieldFault[]) {
    const named = faults
      .slice(0, MAX_NAMED_FAULTS)
      .map(({ path, message }) => `${shortened(path)}: ${message}`);
    const others = faults.length - named.length;
    super([...named, ...(others > 0 ? [`and ${others} more faults`] : [])].join('; '));
  }
}

/** Never ends within a pair of surrogates. */
function shortened(path: string): string {
  return path.length <= MAX_PATH_CHARS ? path : `${path.slice(0, MAX_PATH_CHARS).toWellFormed()}…`;
}

export const badRequest = (faults: FieldFault[]) => new FieldFaultsException(faults);

export const unknownFieldFaults = (paths: string[]): FieldFault[] =>
  paths.map((path) => ({ path, message: UNKNOWN_FIELD }));

/** The 400 that names the unknown fields or parameters. */
export const unknownFields = (paths: string[]) => badRequest(unknownFieldFaults(paths));
