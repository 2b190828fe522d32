import type { ServerResponse } from 'node:http';
import type { Behaviour } from './behaviour';
import type { ModelChoice } from './models';
import type { ServedCounters } from './served';
import type { JsonObject } from './validation';

/** One request to a model endpoint, read and with its model found. */
export interface ModelRequest {
  body: JsonObject;
  bodyBytes: number;
  model: ModelChoice;
  behaviour: Readonly<Behaviour>;
  res: ServerResponse;
  served: ServedCounters;
}

/** Tokens of one answer, over all its choices. */
export interface TokenCounts {
  prompt: number;
  completion: number;
}
