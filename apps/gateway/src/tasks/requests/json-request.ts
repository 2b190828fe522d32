import { compileValidator, fieldNamesOf } from '@inference/dto';
import { EVERY, JsonFault, type NameTree, readJsonInSlices, UniqueNames } from '@inference/http';
import { type Type } from '@nestjs/common';
import { withFields } from '../../proxy/upstream-body';
import { refuseOtherCase } from '../../proxy/request/proxy-request';
import { InvalidJsonError, InvalidValueError } from '../../proxy/request/request.errors';
import { readAnswer, type ReadAnswer } from '../../upstreams/answer-json';
import { type Fields, type TaskAnswer, type TaskBody } from '../task';

/** Uses the object of an answer. Null if it is no JSON object, or one that reports an error with a status of success. */
export const readObject = (
  body: Buffer,
  use: (answer: Fields) => TaskAnswer | null,
): ReadAnswer<TaskAnswer> =>
  readAnswer(body, (answer) =>
    answer === null || typeof answer !== 'object' || Array.isArray(answer) || (answer as Fields).error
      ? null
      : use(answer as Fields),
  );

export const fieldsOf = (value: unknown): Fields =>
  value !== null && typeof value === 'object' ? (value as Fields) : {};

/** A body that its DTO class has validated. */
export interface JsonRequest<Body> {
  raw: Buffer;
  body: Body;
  bodyFor(upstreamModel: string): Buffer;
}

/**
 * Compiles a reader of JSON bodies in which each field of a DTO class may be given once. The others are not read.
 * @param inside in whose values every name may be given once, too
 */
export function jsonReader<Body extends { model: string }>(
  dtoClass: Type<Body>,
  inside: readonly (keyof Body)[] = [],
) {
  const validate = compileValidator(dtoClass);
  const binding = new Set(fieldNamesOf(dtoClass));
  const treeOf = (name: string): NameTree => (inside.includes(name as keyof Body) ? { [EVERY]: true } : {});
  const names = new UniqueNames(Object.fromEntries([...binding].map((name) => [name, treeOf(name)])));
  return async (
    { bytes: raw, requireClient }: TaskBody,
    onModel: (model: unknown) => void,
  ): Promise<JsonRequest<Body>> => {
    if (raw.length === 0) throw new InvalidJsonError('The body is empty.');
    try {
      const { value, members, otherNames } = await readJsonInSlices(raw, { names }, requireClient);
      if (value === null || typeof value !== 'object' || Array.isArray(value))
        throw new InvalidJsonError('The body must be a JSON object.');
      const body = value as Fields & Body;
      onModel(body.model);
      refuseOtherCase(otherNames, binding);
      const [fault, ...others] = validate(body);
      if (fault) throw new InvalidValueError(fault, ...others);
      const bodyFor = (model: string) =>
        model === body.model ? raw : withFields({ raw, members }, { model });
      return { raw, body, bodyFor };
    } catch (error) {
      if (!(error instanceof JsonFault)) throw error;
      const { path, problem } = error;
      throw path === undefined
        ? new InvalidJsonError(`The body ${problem}.`)
        : new InvalidValueError({ path, message: problem });
    }
  };
}
