import { type ExecutionContext } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { type RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum';

/** Whether the handler of a route has a parameter of a kind, such as the query. */
export function takesParameter(
  kind: RouteParamtypes,
  context: Pick<ExecutionContext, 'getHandler' | 'getClass'>,
): boolean {
  const { name } = context.getHandler();
  const args = (Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), name) ?? {}) as object;
  return Object.keys(args).some((key) => key.startsWith(`${kind}:`));
}
