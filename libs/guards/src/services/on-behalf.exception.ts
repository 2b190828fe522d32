import { DetailedException } from '@inference/http';

/**
 * on_behalf_unknown: the account or its key does not exist, although the service's own credential is valid;
 * on_behalf_missing: the service names no account; on_behalf_forbidden: a customer names an account.
 */
type OnBehalfFault = 'on_behalf_unknown' | 'on_behalf_missing' | 'on_behalf_forbidden';

const STATUSES: Record<OnBehalfFault, number> = {
  on_behalf_unknown: 401,
  on_behalf_missing: 400,
  on_behalf_forbidden: 403,
};
const MESSAGES: Record<OnBehalfFault, string> = {
  on_behalf_unknown: 'the account or API key that the request is made on behalf of is not valid',
  on_behalf_missing: 'the header X-On-Behalf-Of is missing',
  on_behalf_forbidden: 'only the services of the platform may act on behalf of an account',
};

/** Refuses a call on behalf of an account. */
export class OnBehalfException extends DetailedException {
  constructor(readonly code: OnBehalfFault) {
    super(STATUSES[code], MESSAGES[code], { code });
  }
}
