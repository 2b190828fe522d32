import {
  type ArgumentMetadata,
  BadRequestException,
  Injectable,
  NotFoundException,
  type PipeTransform,
  type Type,
  ValidationPipe,
  type ValidationPipeOptions,
} from '@nestjs/common';
import { type ValidationError } from 'class-validator';
import { badRequest, type FieldFault, FieldFaultsException, UNKNOWN_FIELD } from './field-fault';
import { findHostileInput } from './hostile-input';
import { readKnownFields } from './known-fields';
import { isTolerant } from './tolerant.decorator';

/** Key in the context of a constraint: a part of a path that breaks it cannot name anything that exists, so the answer is 404 with this message. */
export const NOT_FOUND = 'notFound';

const OPTIONS: ValidationPipeOptions = {
  transform: true,
  forbidUnknownValues: true,
  stopAtFirstError: true,
  validationError: { target: false, value: false },
  exceptionFactory: (errors) => badRequest(faultsIn(errors)),
};

/** Nest's pipe, without its removal of fields named `prototype`, which an object of any content may have. */
class DtoPipe extends ValidationPipe {
  protected override stripProtoKeys(): void {}
}

const fieldsPipe = new DtoPipe(OPTIONS);
const pathPipe = new DtoPipe({ ...OPTIONS, exceptionFactory: pathException });

/** The global pipe: validates parameters whose type is a DTO class (see `validated`). */
@Injectable()
export class RequestValidationPipe implements PipeTransform {
  transform(value: unknown, { metatype, type }: ArgumentMetadata): unknown {
    const isDto = metatype !== undefined && metatype !== Object && metatype !== String && type !== 'custom';
    if (!isDto) return value;
    return type === 'param' ? validatedPath(metatype, value) : validated(metatype, value);
  }
}

/**
 * Resolves to an instance of the DTO class of a path. Throws NotFoundException if nothing but names of what may exist is invalid,
 * otherwise BadRequestException that names each invalid field. The fields judge first: an id that holds text which cannot be
 * stored names nothing.
 */
export async function validatedPath<Dto extends object>(dtoClass: Type<Dto>, value: unknown): Promise<Dto> {
  const path = (await pathPipe.transform(value, { type: 'param', metatype: dtoClass })) as Dto;
  refuseHostileInput(path);
  return path;
}

function refuseHostileInput(value: unknown): void {
  const hostile = findHostileInput(value);
  if (hostile) throw badRequest([{ ...hostile, path: hostile.path || 'value' }]);
}

/**
 * Resolves to an instance of the DTO class. Throws BadRequestException that names each invalid field (`field: what is wrong`).
 * Hostile input (see `findHostileInput`) is refused before the fields are validated, and named alone.
 */
export async function validated<Dto>(dtoClass: Type<Dto>, value: unknown): Promise<Dto> {
  refuseHostileInput(value);
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new BadRequestException('the body must be a JSON object');
  const { known, unknown } = readKnownFields(dtoClass, value);
  const validating = fieldsPipe.transform(known, { type: 'body', metatype: dtoClass }) as Promise<Dto>;
  if (unknown.isEmpty || isTolerant(dtoClass)) return validating;
  throw await validating.then(
    () => unknown.faultsWith(undefined),
    (error: unknown) => (error instanceof FieldFaultsException ? unknown.faultsWith(error) : error),
  );
}

function pathException(errors: ValidationError[]): BadRequestException | NotFoundException {
  const faults = faultsIn(errors);
  const absent = faults.map(({ notFound }) => notFound);
  return absent.every((message) => message !== undefined)
    ? new NotFoundException(absent[0])
    : badRequest(faults);
}

interface ConstraintFault extends FieldFault {
  /** See NOT_FOUND. */
  notFound?: string;
}

const faultsIn = (errors: ValidationError[]) => errors.flatMap((error) => faultsOf(error, ''));

function faultsOf(error: ValidationError, above: string): ConstraintFault[] {
  const { property, constraints = {}, contexts, children = [] } = error;
  // An object in which the validator knows no class has no property.
  const path = [above, property]
    .filter((part) => part !== '' && (part as string | undefined) !== undefined)
    .join('.');
  const own = Object.entries(constraints).map(([name, message]): ConstraintFault => {
    const notFound = (contexts?.[name] as Record<string, string> | undefined)?.[NOT_FOUND];
    return {
      path,
      message: name === 'unknownValue' ? UNKNOWN_FIELD : message,
      ...(notFound !== undefined && { notFound }),
    };
  });
  return [...own, ...children.flatMap((child) => faultsOf(child, path))];
}
