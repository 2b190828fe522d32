import { queryOptions } from '@tanstack/react-query';
import { toApiError } from '../../api/api-error';
import { bodyOf } from '../../api/console-api';
import { type TrainingApi, type TrainingSchemas } from '../../api/service-apis';
import { Figure } from '../../figures/figure';

export type Capabilities = TrainingSchemas['CapabilitiesResponse'];

/** No price of training, none of a GPU hour, no exchange rate: the operator has not set training up. */
const WITHOUT_PRICE = ['50301', '50302', '50303'];

/** What the account can train; null while the site has no price for it. */
export const capabilitiesQuery = (api: TrainingApi) =>
  queryOptions({
    queryKey: ['training-capabilities'],
    queryFn: async ({ signal }): Promise<Capabilities | null> => {
      try {
        return (await bodyOf(api.GET('/v1/capabilities', { signal }))).data;
      } catch (error) {
        if (WITHOUT_PRICE.includes(toApiError(error).code ?? '')) return null;
        throw error;
      }
    },
  });

interface Quota {
  total: Figure;
  used: Figure;
}

/** What is left of a quota; never negative, though a quota may be set below what is used. */
export function leftOf({ total, used }: Quota): Figure {
  const left = total.minus(used);
  return left.isNegative ? Figure.zero : left;
}

/** Which part of a quota is used, in percent, for a bar. */
export function usedPercent({ total, used }: Quota): number {
  if (used.compare(total) >= 0) return 100;
  return (used.toScreenNumber() / total.toScreenNumber()) * 100;
}
