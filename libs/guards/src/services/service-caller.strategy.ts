import { Injectable } from '@nestjs/common';
import { type Request } from 'express';
import { type Caller } from '../caller';
import { type CredentialKind } from '../credentials.decorators';
import {
  type AuthenticateOptions,
  type CredentialRegistration,
  CredentialStrategy,
  type Identity,
} from '../strategies/credential.strategy';
import { OnBehalfResolver } from './on-behalf-resolver';
import { OnBehalfException } from './on-behalf.exception';
import { SERVICE_SECRETS, ServiceCredentials, type ServiceSecrets } from './service-credentials';

const ON_BEHALF_OF = 'X-On-Behalf-Of';
const ON_BEHALF_OF_KEY = 'X-On-Behalf-Of-Key';

/** Secrets of the platform's own services: `service` for no account, `on_behalf` for the account that a header names. */
@Injectable()
class ServiceCallerStrategy extends CredentialStrategy {
  constructor(
    private readonly services: ServiceCredentials,
    private readonly onBehalf: OnBehalfResolver,
  ) {
    super('service');
  }

  /** Throws OnBehalfException if the service names no account, or one that is not valid. */
  override async validate(
    request: Request,
    { accepts, authorization }: AuthenticateOptions,
  ): Promise<Identity | null> {
    if (authorization?.scheme !== 'bearer') return null;
    const service = this.services.identify(authorization.secret);
    if (service === null) return null;
    request.service = service;
    const onBehalf = accepts.includes('on_behalf');
    if (accepts.includes('service') && !(onBehalf && namesAccount(request))) return {};
    if (!onBehalf) return null;
    const accountId = request.get(ON_BEHALF_OF);
    if (!accountId) throw new OnBehalfException('on_behalf_missing');
    const caller = await this.onBehalf.resolve(accountId, request.get(ON_BEHALF_OF_KEY));
    if (!caller) throw new OnBehalfException('on_behalf_unknown');
    return { caller: { ...caller, service } };
  }

  /** Refuses a customer that sends the header: ignoring it would charge another account than the header names. */
  checkCaller(caller: Caller, request: Request, accepts: readonly CredentialKind[]): void {
    if (caller.service === undefined && accepts.includes('on_behalf') && namesAccount(request))
      throw new OnBehalfException('on_behalf_forbidden');
  }
}

const namesAccount = (request: Request): boolean =>
  request.get(ON_BEHALF_OF) !== undefined || request.get(ON_BEHALF_OF_KEY) !== undefined;

/** Registers the kinds `service` and `on_behalf` for the services that have these secrets. */
export const serviceCallerCredentials = (secrets: ServiceSecrets): CredentialRegistration => ({
  // Only the platform's own services use them.
  kinds: {},
  strategies: [ServiceCallerStrategy],
  providers: [ServiceCredentials, OnBehalfResolver, { provide: SERVICE_SECRETS, useValue: secrets }],
});
