import { type StreamedAnswer, EventStream } from '../http/event-stream';
import {
  DEFAULT_COMPLETION_TOKENS,
  type Generation,
  readGeneration,
  textLength,
  usageJson,
} from './generation-parameters';
import { nextId, nowSeconds } from '../http/respond';
import type { ModelRequest, TokenCounts } from './model-request';
import { requireKind } from './models';
import { PromptReading } from '../text/prompt';
import { readInputs } from './text-input';
import { choiceSeed, textOf, tokenAt } from '../text/text';
import { sendJsonAnswer } from '../http/json-answer';

/** The texts that answer a request: `n` for each prompt, numbered consecutively. */
interface Texts {
  seeds: number[];
  /** Per text. */
  tokens: number;
  finishReason: 'stop' | 'length';
}

/** Answers `POST /v1/completions`. */
export function answerCompletion(request: ModelRequest): void {
  const { body, bodyBytes, model } = request;
  requireKind(model, 'text');
  const prompts = readInputs(body, 'prompt').map((input) => {
    const reading = new PromptReading(model.seed);
    input.readInto(reading);
    return reading;
  });
  const generation = readGeneration(request);
  const seeds = prompts.flatMap(({ hash }) =>
    Array.from({ length: generation.choices }, (_, index) => choiceSeed(hash, index)),
  );
  const texts: Texts = { seeds, ...textLength(request, generation, DEFAULT_COMPLETION_TOKENS) };
  const words = prompts.reduce((sum, reading) => sum + reading.words, 0);
  const counts: TokenCounts = { prompt: Math.min(words, bodyBytes), completion: texts.tokens * seeds.length };
  if (generation.stream) new EventStream(request, streamed(request, generation, texts, counts)).start();
  else sendJsonAnswer(request, { json: wholeJson(request, texts, counts), counts, steps: texts.tokens });
}

function head(request: ModelRequest): string {
  const { nameJson } = request.model;
  return `{"id":"${nextId('cmpl-')}","object":"text_completion","created":${nowSeconds()},"model":${nameJson},"choices":[`;
}

function choiceJson(index: number, text: string, finish: string): string {
  return `{"text":"${text}","index":${index},"logprobs":null,"finish_reason":${finish}}`;
}

function wholeJson(
  request: ModelRequest,
  { seeds, tokens, finishReason }: Texts,
  counts: TokenCounts,
): string {
  const choices = seeds.map((seed, index) => choiceJson(index, textOf(seed, tokens), `"${finishReason}"`));
  const usage = usageJson(request, counts, 'plain');
  return `${head(request)}${choices.join()}]${usage === undefined ? '' : `,"usage":${usage}`}}`;
}

function streamed(
  request: ModelRequest,
  { streamsUsage }: Generation,
  { seeds, finishReason }: Texts,
  counts: TokenCounts,
): StreamedAnswer {
  const before = `data: ${head(request)}`;
  const after = streamsUsage ? '],"usage":null}\n\n' : ']}\n\n';
  let closing = seeds.map((_, index) => before + choiceJson(index, '', `"${finishReason}"`) + after).join('');
  if (streamsUsage) closing += `${before}],"usage":${usageJson(request, counts, 'plain')}}\n\n`;
  return {
    promptTokens: counts.prompt,
    opening: '',
    tokenCount: counts.completion,
    choices: seeds.length,
    tokenEvent: (index) => {
      const choice = index % seeds.length;
      const text = tokenAt(seeds[choice] ?? 0, (index - choice) / seeds.length);
      return before + choiceJson(choice, text, 'null') + after;
    },
    closing: `${closing}data: [DONE]\n\n`,
  };
}
