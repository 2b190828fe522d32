import { CREDENTIAL_ENTITIES } from '@inference/guards';
import { PRICE_ENTITIES, TrainingPrice } from '@inference/metering';
import { Wallet } from '@inference/wallet';
import { Quota, QuotaChange } from './quotas/quota.entity';

/** The tables that the service uses, with no column that its database role may not read. */
export const ENTITIES = [
  ...CREDENTIAL_ENTITIES,
  ...PRICE_ENTITIES,
  Quota,
  QuotaChange,
  TrainingPrice,
  Wallet,
];
