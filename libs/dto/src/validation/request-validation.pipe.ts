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
import { readKnownFields } from './known-fields';

const TOLERANT = Symbol('tolerant');

/** Class decorator of a DTO: unknown fields are dropped instead of refused, because the protocol demands it. */
export const Tolerant = (): ClassDecorator => (target) => Reflect.defineMetadata(TOLERANT, true, target);

const isTolerant = (target: object): boolean => Reflect.getMetadata(TOLERANT, target) === true;

/** Deepest nesting of a request value: deeper than any valid request, and shallow enough for recursive code. */
const MAX_DEPTH = 100;
/** PostgreSQL stores neither NUL in text nor unpaired surrogates in JSON. */
const UNSTORABLE = /[\0\p{Surrogate}]/u;
/** Code that copies an object key by key would set its prototype, or take the value for its class. */
const FORBIDDEN_KEYS = ['__proto__', 'constructor'];

interface Fault {
  /** Names and indices, the innermost first. */
  path: string[];
  message: string;
}

/** Finds what no request may contain: text that PostgreSQL cannot store, nesting that is too deep, fields named `__proto__` or `constructor`. */
function findHostileInput(value: unknown): FieldFault | undefined {
  const fault = faultIn(value, 0);
  return fault && { path: fault.path.reverse().join('.'), message: fault.message };
}

/** A value may have a million others in it: nothing is made for one without a fault. */
function faultIn(value: unknown, depth: number): Fault | undefined {
  if (typeof value === 'string') return faultOfText(value);
  if (value === null || typeof value !== 'object') return undefined;
  if (depth === MAX_DEPTH)
    return { path: [], message: `must not be nested more than ${MAX_DEPTH} levels deep` };
  return Array.isArray(value) ? faultInList(value, depth) : faultInObject(value, depth);
}

function faultOfText(text: string): Fault | undefined {
  if (!UNSTORABLE.test(text)) return undefined;
  return { path: [], message: 'must not contain NUL characters or halves of surrogate pairs' };
}

function faultInList(list: unknown[], depth: number): Fault | undefined {
  for (let index = 0; index < list.length; index++) {
    const fault = faultIn(list[index], depth + 1);
    if (fault) return within(String(index), fault);
  }
  return undefined;
}

function faultInObject(object: object, depth: number): Fault | undefined {
  for (const key of Object.keys(object)) {
    if (FORBIDDEN_KEYS.includes(key)) return { path: [], message: `must not have a field named ${key}` };
    const ofKey = faultOfText(key);
    if (ofKey) return ofKey;
    const fault = faultIn((object as Record<string, unknown>)[key], depth + 1);
    if (fault) return within(key, fault);
  }
  return undefined;
}

function within(name: string, fault: Fault): Fault {
  fault.path.push(name);
  return fault;
}

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
