import { charactersOf } from '@inference/dto';
import { readReportedUsage, type ReportedUsage } from '../../proxy/usage/reported-usage';
import { type Fields, type Task, type TaskAnswer, type TaskEvents } from '../task';
import { SpeechRequest } from '../tasks.dto';
import { jsonReader } from './json-request';

const read = jsonReader(SpeechRequest);

/** Speaks a text, charged by its characters: audio does not tell how many tokens it was. */
export const SPEECH: Task = {
  endpoint: 'audio/speech',
  counts: 'characters or requests',
  pricedBy: ['per_million_characters', 'per_request'],
  async read(taskBody, onModel) {
    const { raw, body, bodyFor } = await read(taskBody, onModel);
    const character = charactersOf(body.input);
    return {
      model: body.model,
      bodyFor,
      // Servers that answer with events report tokens, which may have a price, too.
      bounds: { inputTokens: raw.length, outputTokens: 0, counts: { character } },
      asked: () => ({ character }),
      isBinary: body.stream_format !== 'sse',
      isStream: body.stream_format === 'sse',
      read: () => null,
      events: () => new SpeechEvents(),
    };
  },
};

/** `speech.audio.delta` and, with the usage, `speech.audio.done`. */
class SpeechEvents implements TaskEvents {
  /** Audio does not tell how many tokens it was. */
  readonly begun = null;
  private hasEnded = false;
  private usage: ReportedUsage | null = null;

  get answer(): TaskAnswer | null {
    return this.hasEnded ? { reported: this.usage, produced: {} } : null;
  }

  read(event: Fields): boolean {
    if (typeof event.type !== 'string' || !event.type.endsWith('.done')) return false;
    this.hasEnded = true;
    this.usage = readReportedUsage(event);
    return true;
  }
}
