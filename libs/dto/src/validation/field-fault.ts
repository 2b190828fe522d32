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
  /** @param unnamed the number of faults beside these */
  constructor(
    readonly faults: FieldFault[],
    readonly unnamed = 0,
  ) {
    const named = faults
      .slice(0, MAX_NAMED_FAULTS)
      .map(({ path, message }) => `${shortened(path)}: ${message}`);
    const others = faults.length - named.length + unnamed;
    super([...named, ...(others > 0 ? [`and ${others} more faults`] : [])].join('; '));
  }
}

/** Never ends within a pair of surrogates. */
function shortened(path: string): string {
  return path.length <= MAX_PATH_CHARS ? path : `${path.slice(0, MAX_PATH_CHARS).toWellFormed()}…`;
}

export const badRequest = (faults: FieldFault[]) => new FieldFaultsException(faults);

/** Paths of unknown fields, of which an error names the first. */
export class UnknownFields {
  private readonly named: string[] = [];
  private count = 0;

  get isEmpty(): boolean {
    return this.count === 0;
  }

  /** @param above the path of the object that has the field; empty for the value itself */
  add(above: string, name: string): void {
    this.count++;
    if (this.named.length < MAX_NAMED_FAULTS) this.named.push(above ? `${above}.${name}` : name);
  }

  /** The 400 for these, and for other faults of the same value. */
  faultsWith(others: FieldFaultsException | undefined): FieldFaultsException {
    const faults = this.named.map((path) => ({ path, message: UNKNOWN_FIELD }));
    const unnamed = this.count - faults.length;
    return new FieldFaultsException([...faults, ...(others?.faults ?? [])], unnamed + (others?.unnamed ?? 0));
  }
}

/** The 400 that names the unknown fields or parameters. */
export function unknownFields(names: string[]): FieldFaultsException {
  const unknown = new UnknownFields();
  for (const name of names) unknown.add('', name);
  return unknown.faultsWith(undefined);
}
