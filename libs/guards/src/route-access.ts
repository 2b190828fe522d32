import { Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { PerRoute, PUBLIC } from '@inference/http';
import { type Role } from './caller';
import { ACCEPTS, type CredentialKind, READS_CREDENTIAL, ROLES } from './credentials.decorators';

/** What the decorators of a route and its controller say. */
export interface RouteAccess {
  isPublic: boolean;
  /** Whether a public route reads a credential. */
  readsCredential?: boolean | undefined;
  /** Undefined: the app's default kinds. */
  accepts: CredentialKind[] | undefined;
  /** Undefined: any role. */
  roles: Role[] | undefined;
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
        roles: reflector.getAllAndOverride<Role[] | undefined>(ROLES, targets),
      };
    });
  }
}
