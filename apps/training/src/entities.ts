import { AccountRole, ApiKey, Session } from '@inference/guards';
import { ExchangeRate, GpuPrice, ModelPrice, PriceList, TrainingPrice } from '@inference/metering';
import { Wallet } from '@inference/wallet';
import { QuotaChange } from './quotas/quota-change.entity';
import { Quota } from './quotas/quota.entity';

/** The tables that the service uses, with no column that its database role may not read. */
export const ENTITIES = [
  AccountRole,
  ApiKey,
  ExchangeRate,
  GpuPrice,
  ModelPrice,
  PriceList,
  Quota,
  QuotaChange,
  Session,
  TrainingPrice,
  Wallet,
];
