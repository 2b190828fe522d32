import { Injectable, RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants';
import { Reflector } from '@nestjs/core';
import { PerRoute, PUBLIC } from '@inference/http';
import {
  ACCEPTS,
  type CredentialKind,
  READS_CREDENTIAL,
  SECOND_FACTOR_SETUP,
  STAFF_ONLY,
} from './credentials.decorators';
import { rolesOfRoute, ROUTES_IN_VIEW, type StaffRole } from './staff/staff-table';

/** What the decorators of a route and its controller say. */
export interface RouteAccess {
  isPublic: boolean;
  /** Whether a public route reads a credential. */
  readsCredential?: boolean | undefined;
  /** Undefined: the app's default kinds. */
  accepts: CredentialKind[] | undefined;
  /** Undefined: any role. */
  roles: readonly StaffRole[] | undefined;
  /** Whether staff without a required second factor may use it. */
  isSecondFactorSetup: boolean;
  /** Whether it answers staff in the place of a customer. */
  isOpenInView: boolean;
}

/** Method and path of a route, such as `GET /api/things/:id`. Null if it has several paths. */
function nameOf(handler: object, controller: object): string | null {
  const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod];
  const paths = [controller, handler].map((part) => Reflect.getMetadata(PATH_METADATA, part) as unknown);
  if (!paths.every((path) => typeof path === 'string')) return null;
  return `${method} /${paths.join('/').split('/').filter(Boolean).join('/')}`;
}

/**
 * The roles that may use a handler by the table of routes for staff. Undefined if it is open to all roles. Throws if it is for staff and
 * has several paths, because the table has one for each route.
 */
export function staffRolesOf(handler: object, controller: object): readonly StaffRole[] | undefined {
  if (!(Reflect.getMetadata(STAFF_ONLY, handler) ?? Reflect.getMetadata(STAFF_ONLY, controller)))
    return undefined;
  const name = nameOf(handler, controller);
  if (name === null)
    throw new Error(`A route for staff needs one path; ${(handler as { name?: string }).name} has others.`);
  return rolesOfRoute(name);
}

@Injectable()
export class RouteAccessReader extends PerRoute<RouteAccess> {
  constructor(reflector: Reflector) {
    super((context) => {
      const targets = [context.getHandler(), context.getClass()];
      return {
        isPublic: reflector.getAllAndOverride<boolean | undefined>(PUBLIC, targets) ?? false,
        readsCredential: reflector.getAllAndOverride<boolean | undefined>(READS_CREDENTIAL, targets),
        accepts: reflector.getAllAndOverride<CredentialKind[] | undefined>(ACCEPTS, targets),
        roles: staffRolesOf(targets[0]!, targets[1]!),
        isSecondFactorSetup:
          reflector.getAllAndOverride<boolean | undefined>(SECOND_FACTOR_SETUP, targets) ?? false,
        isOpenInView: ROUTES_IN_VIEW.includes(nameOf(targets[0]!, targets[1]!) ?? ''),
      };
    });
  }
}
