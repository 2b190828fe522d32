import { queryOptions } from '@tanstack/react-query';
import { toApiError } from '../../api/api-error';
import { bodyOf } from '../../api/console-api';
import { type TrainingApi, type TrainingSchemas } from '../../api/service-apis';

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
