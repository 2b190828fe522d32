import { estimateTokens } from '@inference/tokens';
import { readReportedUsage } from '../../proxy/usage/reported-usage';
import { textsIn } from '../../proxy/usage/texts-in';
import { type Task } from '../task';
import { ModerationRequest } from '../tasks.dto';
import { answerObject, jsonReader } from './json-request';

const read = jsonReader(ModerationRequest, ['input']);
/** Of parts: what is no text that is judged. */
const NO_TEXT = new Set(['type', 'image_url']);

/** Says which kinds of harm a text may do. OpenAI's servers report no usage. */
export const MODERATION: Task = {
  endpoint: 'moderations',
  counts: 'tokens of its input or requests',
  pricedBy: ['per_million_input_tokens', 'per_million_tokens', 'per_request'],
  async read(taskBody, onModel) {
    const { raw, body, bodyFor } = await read(taskBody, onModel);
    return {
      model: body.model,
      bodyFor,
      bounds: { inputTokens: raw.length, outputTokens: 0 },
      asked: () => ({ input: estimateTokens(textsIn(body.input, NO_TEXT)) }),
      read(bytes) {
        const answer = answerObject(bytes);
        if (!answer || !Array.isArray(answer.results)) return null;
        return { reported: readReportedUsage(answer), produced: {} };
      },
    };
  },
};
