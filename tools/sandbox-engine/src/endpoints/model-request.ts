import type { ServerResponse } from 'node:http';
import type { Behaviour } from '../behaviour';
import type { ModelChoice } from './models';
import type { ServedCounters } from '../served-counters';
import type { JsonObject } from '../http/validation';

/** A parsed request to a model endpoint, with its model. */
export interface ModelRequest {
  body: JsonObject;
  bodyBytes: number;
  model: ModelChoice;
  behaviour: Readonly<Behaviour>;
  res: ServerResponse;
  served: ServedCounters;
  /** The delay before every token of a stream whose behaviour sets none. Undefined: all tokens are written at once. */
  streamDelayMs: number | undefined;
}

/** The numbers of tokens of one answer, over all its choices. */
export interface TokenCounts {
  prompt: number;
  completion: number;
}
