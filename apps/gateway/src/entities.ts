import { AccountRole, ApiKey, Session } from '@inference/guards';
import { ExchangeRate, GpuPrice, ModelPrice, PriceList } from '@inference/metering';
import { Wallet } from '@inference/wallet';

/** The tables that the service uses, with no column that its database role may not read. */
export const ENTITIES = [AccountRole, ApiKey, ExchangeRate, GpuPrice, ModelPrice, PriceList, Session, Wallet];
