import { BadRequestException, Body, type PipeTransform, type Type } from '@nestjs/common';
import { ApiBody, ApiExtraModels, getSchemaPath } from '@nestjs/swagger';
import { fieldNamesOf } from '../fields/field';
import { validated } from './request-validation.pipe';

/**
 * Parameter decorator: a body of one of several DTO classes, validated and documented. Its class is the first that has a field of
 * the body; a body without any such field is 400.
 */
export function BodyOneOf(...dtoClasses: Type[]): ParameterDecorator {
  const names = dtoClasses.flatMap(fieldNamesOf);
  const pipe: PipeTransform = {
    transform(body: unknown) {
      const dtoClass = dtoClasses.find((one) =>
        fieldNamesOf(one).some((name) => Object.hasOwn(Object(body) as object, name)),
      );
      if (dtoClass) return validated(dtoClass, body);
      throw new BadRequestException(
        `the body must be a JSON object with one of the fields ${names.join(', ')}`,
      );
    },
  };
  return (target, method, index) => {
    Body(pipe)(target, method, index);
    const descriptor = Object.getOwnPropertyDescriptor(target, method!)!;
    const oneOf = dtoClasses.map((dtoClass) => ({ $ref: getSchemaPath(dtoClass) }));
    ApiExtraModels(...dtoClasses)(target, method!, descriptor);
    ApiBody({ schema: { oneOf } })(target, method!, descriptor);
  };
}
