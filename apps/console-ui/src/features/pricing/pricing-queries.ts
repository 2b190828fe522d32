import { queryOptions } from '@tanstack/react-query';
import { bodyOf, type ConsoleApi, type Schemas } from '../../api/console-api';

export type UnitPrice = Schemas['ModelPriceResponse'];
export type GpuPrice = Schemas['GpuPriceResponse'];

export const pricingQuery = (api: ConsoleApi) =>
  queryOptions({
    queryKey: ['pricing'],
    queryFn: ({ signal }) => bodyOf(api.GET('/api/pricing', { signal })),
  });
