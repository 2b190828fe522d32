import { applyDecorators, createParamDecorator, type ExecutionContext, type Type } from '@nestjs/common';
import { ApiHeader, type ApiHeaderOptions } from '@nestjs/swagger';
import { type Request } from 'express';
import { fieldNamesOf, schemasOf } from '../fields/field';
import { validated } from './request-validation.pipe';

/** Parameter decorator: the headers that the DTO class names, validated and documented. Its fields are named as the headers are. */
export function RequestHeaders(dtoClass: Type): ParameterDecorator {
  const names = fieldNamesOf(dtoClass);
  const read = createParamDecorator((_data: unknown, context: ExecutionContext) => {
    const request = context.switchToHttp().getRequest<Request>();
    const sent = names.map((name) => [name, request.get(name)] as const);
    return validated(dtoClass, Object.fromEntries(sent.filter(([, value]) => value !== undefined)));
  });
  return (target, method, index) => {
    read()(target, method, index);
    ApiRequestHeaders(dtoClass)(target, method!, Object.getOwnPropertyDescriptor(target, method!)!);
  };
}

/** Method decorator: documents the headers that the DTO class names. */
export const ApiRequestHeaders = (dtoClass: Type): MethodDecorator =>
  applyDecorators(
    ...Object.entries(schemasOf(dtoClass)).map(([name, { description, required, ...schema }]) =>
      ApiHeader({ name, description, required, schema } as ApiHeaderOptions),
    ),
  );
