import { estimateTokens } from '@inference/tokens';
import { producedAudioTokens } from './media-tokens';
import { textsIn } from './texts-in';

/** What a model has produced, as far as it decides how many tokens that is. */
export interface Produced {
  text: string;
  audioTokens: number;
}

export const NOTHING_PRODUCED: Produced = { text: '', audioTokens: 0 };

type Fields = Record<string, unknown>;

const TEXT_FIELDS = ['content', 'refusal', 'tool_calls', 'function_call'];
const KNOWN_FIELDS = new Set([...TEXT_FIELDS, 'role', 'audio', 'reasoning', 'reasoning_content']);

/** What servers add to name the parts of an answer. */
const LABELS = new Set(['type', 'id', 'index']);

const textOf = (value: unknown): string => textsIn(value, LABELS).join('');

function audioOf(audio: unknown): Produced {
  const { data, transcript } = (audio ?? {}) as Fields;
  return {
    text: typeof transcript === 'string' ? transcript : '',
    audioTokens: typeof data === 'string' ? producedAudioTokens(data) : 0,
  };
}

/** What a choice of a response or of a stream chunk adds to the answer. Log probabilities are no part of it. */
export function producedBy(choice: unknown): Produced {
  const { message, delta, text } = (choice ?? {}) as Fields;
  const part = (delta ?? message ?? {}) as Fields;
  // Two names of one field; some servers send both with the same text.
  const texts = [textOf(text), textOf(part.reasoning_content) || textOf(part.reasoning)];
  for (const field of TEXT_FIELDS) texts.push(textOf(part[field]));
  const audio = audioOf(part.audio);
  const known = texts.join('') + audio.text;
  return {
    text: known || audio.audioTokens > 0 ? known : unknownTextOf(part),
    audioTokens: audio.audioTokens,
  };
}

/** The text of fields that the gateway does not know. Beside known ones they repeat them, as `reasoning_details` does. */
function unknownTextOf(part: Fields): string {
  const unknown = Object.entries(part).filter(([name]) => !KNOWN_FIELDS.has(name));
  return unknown.map(([, value]) => textOf(value)).join('');
}

/** What all answers of a response hold. */
export function producedByAll(choices: readonly unknown[]): Produced {
  const parts = choices.map(producedBy);
  return {
    text: parts.map(({ text }) => text).join(''),
    audioTokens: parts.reduce((sum, { audioTokens }) => sum + audioTokens, 0),
  };
}

export const tokensOf = ({ text, audioTokens }: Produced): number =>
  estimateTokens(text) + Math.ceil(audioTokens);

/** Longer ones, and such with other characters, name no reason. */
const FINISH_REASON = /^[A-Za-z0-9_.-]{1,64}$/;

/** Why an answer ended, as the upstream says it: `stop`, `length`, `tool_calls` and others. */
export function finishReasonOf(choice: unknown): string | null {
  const { finish_reason: reason } = (choice ?? {}) as { finish_reason?: unknown };
  return typeof reason === 'string' && FINISH_REASON.test(reason) ? reason : null;
}
