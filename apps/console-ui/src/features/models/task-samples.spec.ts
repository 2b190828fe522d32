import { Figure } from '../../figures/figure';
import { type PriceUnit } from '../pricing/pricing-queries';
import { taskSamples } from './task-samples';

const samplesOf = (unit: PriceUnit) =>
  taskSamples('https://gateway.test', {
    slug: 'acme/model',
    currency: 'USD',
    prices: { [unit]: Figure.zero },
    rows: [],
  }).map(({ code }) => code);

it.each<[PriceUnit, string, string]>([
  ['per_image', '/v1/images/generations', 'client.images.generate('],
  ['per_audio_minute', '/v1/audio/transcriptions', 'client.audio.transcriptions.create('],
  ['per_million_characters', '/v1/audio/speech', 'client.audio.speech.create('],
  ['per_search', '/v1/rerank', 'client.post("/rerank"'],
  ['per_million_input_tokens', '/v1/embeddings', 'client.embeddings.create('],
])('shows how a model that is priced %s is called', (unit, path, call) => {
  const [curl, python] = samplesOf(unit);
  expect(curl).toContain(`curl https://gateway.test${path} `);
  expect(python).toContain(call);
  for (const code of [curl, python]) expect(code).toContain('acme/model');
});
