import { TextField } from '@inference/dto';
import { SlugField } from './slug-field.decorator';

/** In place of an id: calls that were made without an API key. */
const WITHOUT_API_KEY = 'none';

const API_KEY = /^(none|key_[0-9A-Za-z]{1,64})$/;
const ENTRYPOINT = /^[a-z0-9._-]{1,64}$/;

/** Limits a report or a list to the calls of one model. */
export const ModelFilter = (): PropertyDecorator =>
  SlugField({ description: 'Only calls of this model.', optional: true });

/** Limits a report or a list to the calls of one API key, or to those without one. */
export const ApiKeyFilter = (): PropertyDecorator =>
  TextField({
    description: 'Only calls with this API key; `none`: only those without one.',
    example: 'key_0Vc3kZ8dQ1mXw7RtYb2LsA',
    pattern: [API_KEY, 'must be none or an id like key_0Vc3kZ8dQ1mXw7RtYb2LsA'],
    optional: true,
  });

/** Limits a report or a list to the calls that came by one entrypoint. */
export const EntrypointFilter = (): PropertyDecorator =>
  TextField({
    description:
      'Only calls that came this way: `gateway`, `agent`, `memo`, `training`, or what the client named.',
    example: 'gateway',
    pattern: [ENTRYPOINT, 'must have 1 to 64 of a-z, 0-9 and . _ -'],
    optional: true,
  });

/** The key of the filter as the rollup stores it: empty for calls without one, undefined for all calls. */
export const storedApiKeyId = (filter: string | undefined): string | undefined =>
  filter === WITHOUT_API_KEY ? '' : filter;
