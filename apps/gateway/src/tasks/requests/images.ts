import { estimateTokens } from '@inference/tokens';
import { InvalidValueError } from '../../proxy/request/request.errors';
import { laterUsage, readReportedUsage, type ReportedUsage } from '../../proxy/usage/reported-usage';
import { type Fields, type Task, type TaskAnswer, type TaskEvents } from '../task';
import { ImageRequest } from '../tasks.dto';
import { jsonReader, readObject } from './json-request';

/** Most tokens of an image. Chosen: OpenAI's largest ones of high quality have 6,240. */
const MOST_TOKENS = 8_192;
/** Of a server that reports none: a square image of medium quality at OpenAI. */
const USUAL_TOKENS = 1_056;

const read = jsonReader(ImageRequest);

const answerOf = (images: number, reported: ReportedUsage | null): TaskAnswer => ({
  reported,
  produced: { image: images, output: images * USUAL_TOKENS },
});

/** Makes images, charged by their number or by the tokens that the server reports. */
export const IMAGES: Task = {
  endpoint: 'images/generations',
  counts: 'images, tokens of its output or requests',
  pricedBy: ['per_image', 'per_million_output_tokens', 'per_million_tokens', 'per_request'],
  async read(taskBody, onModel) {
    const { raw, body, bodyFor } = await read(taskBody, onModel);
    const images = body.n ?? 1;
    if (body.stream && images > 1)
      throw new InvalidValueError({ path: 'n', message: 'must be 1 for a stream' });
    return {
      model: body.model,
      bodyFor,
      bounds: {
        inputTokens: raw.length,
        outputTokens: images * MOST_TOKENS,
        counts: { image: images },
      },
      asked: () => ({ input: estimateTokens(body.prompt) }),
      read: (bytes) =>
        readObject(bytes, (answer) =>
          Array.isArray(answer.data) ? answerOf(answer.data.length, readReportedUsage(answer)) : null,
        ),
      isStream: body.stream === true,
      events: () => new ImageEvents(),
    };
  },
};

/** `image_generation.partial_image` and, with the usage, `image_generation.completed`. */
class ImageEvents implements TaskEvents {
  private images = 0;
  private hasBegun = false;
  private usage: ReportedUsage | null = null;

  get answer(): TaskAnswer | null {
    return this.images > 0 ? answerOf(this.images, this.usage) : null;
  }

  /** Whoever has seen a sketch has seen the image. */
  get begun(): TaskAnswer | null {
    return this.hasBegun ? answerOf(1, null) : null;
  }

  read(event: Fields): boolean {
    if (typeof event.type !== 'string') return false;
    if (event.type.endsWith('.partial_image')) this.hasBegun = true;
    if (!event.type.endsWith('.completed')) return false;
    this.images += 1;
    const usage = readReportedUsage(event);
    if (usage) this.usage = laterUsage(this.usage, usage);
    return true;
  }
}
