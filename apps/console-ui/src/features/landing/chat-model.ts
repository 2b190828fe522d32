import { type ModelPrice } from '../pricing/model-price';

/** The model for the example of a chat: the first that is paid for its answers; embeddings have no output. */
export function chatModelIn(models: ModelPrice[]): string {
  const answers = models.find(({ prices }) => prices.per_million_output_tokens ?? prices.per_million_tokens);
  return (answers ?? models[0])?.slug ?? 'MODEL';
}
