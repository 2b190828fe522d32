import { CREDENTIAL_ENTITIES } from '@inference/guards';
import { COST_PRICE_ENTITIES, PRICE_ENTITIES } from '@inference/metering';
import { LimitOverride } from '@inference/rate-limits';
import { SERVING_ENTITIES } from '@inference/serving';
import { Wallet } from '@inference/wallet';
import { IdempotentCall } from './idempotency/idempotent-call.entity';
import { StoredItem, StoredResponse } from './protocols/responses/stored/stored-response.entity';

/** The tables that the service uses, with no column that its database role may not read. */
export const ENTITIES = [
  ...COST_PRICE_ENTITIES,
  ...CREDENTIAL_ENTITIES,
  ...PRICE_ENTITIES,
  ...SERVING_ENTITIES,
  IdempotentCall,
  LimitOverride,
  StoredItem,
  StoredResponse,
  Wallet,
];
