import { estimateTokens } from '@inference/tokens';
import { readReportedUsage } from '../../proxy/usage/reported-usage';
import { InvalidValueError } from '../../proxy/request/request.errors';
import { textsIn } from '../../proxy/usage/texts-in';
import { type Task } from '../task';
import { ModerationRequest } from '../tasks.dto';
import { jsonReader, readObject } from './json-request';

const read = jsonReader(ModerationRequest, ['input']);
/** Chosen: as of a rerank. A server judges each by itself, at length: the answer to a million took 1.4 s to read. */
const MOST_ENTRIES = 10_000;
/** Of parts: what is no text that is judged. */
const NO_TEXT = new Set(['type', 'image_url']);

/** Says which kinds of harm a text may do. OpenAI's servers report no usage. */
export const MODERATION: Task = {
  endpoint: 'moderations',
  counts: 'tokens of its input or requests',
  pricedBy: ['per_million_input_tokens', 'per_million_tokens', 'per_request'],
  async read(taskBody, onModel) {
    const { raw, body, bodyFor } = await read(taskBody, onModel);
    const { input } = body;
    if (Array.isArray(input) && input.length > MOST_ENTRIES)
      throw new InvalidValueError({ path: 'input', message: `must have at most ${MOST_ENTRIES} entries` });
    return {
      model: body.model,
      bodyFor,
      bounds: { inputTokens: raw.length, outputTokens: 0 },
      asked: () => ({ input: estimateTokens(textsIn(input, NO_TEXT)) }),
      read: (bytes) =>
        readObject(bytes, (answer) =>
          Array.isArray(answer.results) ? { reported: readReportedUsage(answer), produced: {} } : null,
        ),
    };
  },
};
