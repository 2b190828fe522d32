import { type Endpoint } from '../../upstreams/upstream';

/** The number of prompts: /v1/completions answers each text of a list. */
export function promptCount(endpoint: Endpoint, prompt: unknown): number {
  if (endpoint !== 'completions' || !Array.isArray(prompt)) return 1;
  return Math.max(1, typeof prompt[0] === 'number' ? 1 : prompt.length);
}
