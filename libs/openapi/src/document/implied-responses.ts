import { RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum';
import {
  ACCEPTS,
  type CredentialKind,
  READS_CREDENTIAL,
  SECOND_FACTOR_SETUP,
  staffRolesOf,
} from '@inference/guards';
import { ANY_QUERY, bodyRuleOf, PUBLIC } from '@inference/http';
import { ApiExtension, ApiSecurity } from '@nestjs/swagger';
import { type ApiDescription } from './api-description';
import { securityRequirementsOf } from './credential-schemes';

/** Extension of an operation that holds the reasons of its implied errors by status, until `buildDocument` turns them into responses. */
export const IMPLIED_ERRORS = 'x-implied-errors';

/** What the errors also mean where a service may act on behalf of an account. */
const ON_BEHALF_CODES = {
  400: ' `on_behalf_missing`: a service names no account.',
  401: ' `on_behalf_unknown`: a service names an account or API key that does not exist.',
};

const SESSIONS: readonly CredentialKind[] = ['session', 'session_cookie', 'session_query'];

const documented = new WeakSet<object>();
const BODY_METHODS = [RequestMethod.POST, RequestMethod.PUT, RequestMethod.PATCH];

/** Adds to every handler of a controller the security and the errors that its guards, parameters and body imply. */
export function documentImplied(controller: Type, description: ApiDescription): void {
  const prototype = controller.prototype as object;
  for (const name of Object.getOwnPropertyNames(prototype)) {
    const descriptor = Object.getOwnPropertyDescriptor(prototype, name)!;
    const handler: unknown = descriptor.value;
    if (typeof handler !== 'function' || Reflect.getMetadata(METHOD_METADATA, handler) === undefined)
      continue;
    if (documented.has(handler)) continue;
    documented.add(handler);
    const decorators = [
      ...securityOf(handler, controller, description),
      ApiExtension(IMPLIED_ERRORS, impliedErrors(name, handler, controller, description)),
    ];
    for (const decorate of decorators) decorate(prototype, name, descriptor);
  }
}

function securityOf(handler: object, controller: Type, description: ApiDescription): MethodDecorator[] {
  const isOptional = metadataOf<boolean>(READS_CREDENTIAL, handler, controller) === true;
  const kinds = isOptional
    ? (metadataOf<CredentialKind[]>(ACCEPTS, handler, controller) ?? description.defaultKinds)
    : acceptedKinds(handler, controller, description);
  const requirements = kinds.flatMap(securityRequirementsOf);
  return [...(isOptional ? [{}] : []), ...requirements].map((requirement) => ApiSecurity(requirement));
}

/** The kinds of credentials that open a handler; none if it is public. */
function acceptedKinds(
  handler: object,
  controller: Type,
  { defaultKinds }: ApiDescription,
): readonly CredentialKind[] {
  if (metadataOf<boolean>(PUBLIC, handler, controller)) return [];
  return metadataOf<CredentialKind[]>(ACCEPTS, handler, controller) ?? defaultKinds;
}

const IN_VIEW =
  '`read_only_view`, `view_ended`: `X-Account-View` names a view of an account that does not open this, or has ended.';
const SUSPENDED = '`account_suspended`: the account is suspended.';

function impliedErrors(
  name: string,
  handler: object,
  controller: Type,
  description: ApiDescription,
): Record<string, string> {
  const {
    isRateLimited,
    limitsRefusals,
    hasNoDatabase,
    hasStaff,
    hasAccountViews,
    readsNoBodies = false,
  } = description;
  const isPublic = metadataOf<boolean>(PUBLIC, handler, controller) === true;
  const isAnyQuery = metadataOf<boolean>(ANY_QUERY, handler, controller) === true;
  const kinds = acceptedKinds(handler, controller, description);
  const isOnBehalf = kinds.includes('on_behalf');
  const needsSecondFactor =
    hasStaff &&
    kinds.some((kind) => SESSIONS.includes(kind)) &&
    !metadataOf<boolean>(SECOND_FACTOR_SETUP, handler, controller);
  const method = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod;
  const whyForbidden = [
    needsSecondFactor && 'The account is staff, and the session has no second factor.',
    isOnBehalf && '`on_behalf_forbidden`: a request with an API key has a header of services.',
    staffRolesOf(handler, controller) &&
      `The account does not have the role ${staffRolesOf(handler, controller)!.join(' or ')}.`,
    !isPublic && !hasNoDatabase && SUSPENDED,
    hasAccountViews && !(isPublic && method === RequestMethod.GET) && IN_VIEW,
  ].filter(Boolean);
  const onBehalf = isOnBehalf ? ON_BEHALF_CODES : { 400: '', 401: '' };
  const hasBody = !readsNoBodies && BODY_METHODS.includes(method);
  const { form } = bodyRuleOf({
    getHandler: () => handler as () => void,
    getClass: () => controller as never,
  });
  return {
    ...((hasBody || !isAnyQuery || takesParameters(name, controller) || isOnBehalf) && {
      400: `A parameter or field is missing or malformed. The message names each one.${onBehalf[400]}`,
    }),
    ...(!isPublic && {
      401: `The credential is missing, expired or invalid.${onBehalf[401]}`,
    }),
    ...(whyForbidden.length > 0 && { 403: whyForbidden.join(' ') }),
    ...(hasBody && {
      ...(form !== 'stream' && { 408: 'The body did not arrive in time.' }),
      413: 'The body is too large.',
      415: 'The content type or encoding of the body is not supported.',
    }),
    ...((isRateLimited || limitsRefusals || hasBody) && {
      429: 'Too many requests. Wait for the seconds in `Retry-After`.',
    }),
    500: 'An unexpected fault of the service.',
    ...((!hasNoDatabase || hasBody) && { 503: 'A dependency, normally the database, is not available.' }),
  };
}

/** Whether a handler has a parameter that a client sends. */
function takesParameters(name: string, controller: Type): boolean {
  const args = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {}) as Record<string, unknown>;
  const sent = [RouteParamtypes.PARAM, RouteParamtypes.QUERY, RouteParamtypes.HEADERS].map(String);
  return Object.keys(args).some((key) => sent.includes(key.split(':')[0]!));
}

function metadataOf<Value>(key: string, handler: object, controller: Type): Value | undefined {
  return (Reflect.getMetadata(key, handler) ?? Reflect.getMetadata(key, controller)) as Value | undefined;
}
