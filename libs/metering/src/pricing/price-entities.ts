import { ExchangeRate } from './exchange-rate.entity';
import { GpuPrice } from './gpu-price.entity';
import { ModelPrice } from './model-price.entity';
import { PriceList } from './price-list.entity';

/** The published prices and what they are worth in USD. */
export const PRICE_ENTITIES = [ExchangeRate, GpuPrice, ModelPrice, PriceList];
