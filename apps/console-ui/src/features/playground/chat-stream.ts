import { ApiError } from '../../api/api-error';
import { authorizedFetch } from '../../api/authorized-fetch';
import { stringifyExact } from '../../api/exact-json';
import { readEvents } from '../../api/read-events';
import { type Session } from '../../api/session';
import { type Step, type ToolCall, WAITING } from './conversation';

interface ChatCall {
  apiUrl: string;
  session: Session;
  body: object;
  signal: AbortSignal;
}

interface ToolPiece {
  index?: number;
  id?: string;
  function?: { name?: string; arguments?: string };
}

interface Chunk {
  choices?: {
    delta?: {
      content?: string | null;
      reasoning_content?: string | null;
      reasoning?: string | null;
      tool_calls?: ToolPiece[];
    };
    finish_reason?: string | null;
  }[];
  usage?: { completion_tokens?: number } | null;
  error?: { message: string };
}

/** The body as it is sent: an estimate has to be made of the same bytes. */
export const streamed = (body: object): object => ({
  ...body,
  stream: true,
  stream_options: { include_usage: true },
});

/** Adds the pieces of functions' calls. Some servers number them, others send each at once. */
function withPieces(calls: ToolCall[], pieces: ToolPiece[]): ToolCall[] {
  const next = [...calls];
  for (const { index, id, function: piece } of pieces) {
    const at = index ?? (id === undefined ? Math.max(0, next.length - 1) : next.length);
    const before = next[at] ?? { id: '', name: '', arguments: '', result: '' };
    next[at] = {
      ...before,
      id: before.id || (id ?? ''),
      name: before.name + (piece?.name ?? ''),
      arguments: before.arguments + (piece?.arguments ?? ''),
    };
  }
  return next;
}

/** What a chunk adds to the answer. */
export function withChunk(step: Step, { choices, usage }: Chunk): Step {
  const { delta, finish_reason: finishReason } = choices?.[0] ?? {};
  const thought = delta?.reasoning_content ?? delta?.reasoning;
  return {
    ...step,
    text: step.text + (delta?.content ?? ''),
    reasoning: step.reasoning + (thought ?? ''),
    toolCalls: delta?.tool_calls ? withPieces(step.toolCalls, delta.tool_calls) : step.toolCalls,
    ...(finishReason && { finishReason }),
    ...(usage?.completion_tokens !== undefined && { outputTokens: usage.completion_tokens }),
  };
}

const lengthOf = ({ text, reasoning, toolCalls }: Step): number =>
  text.length + reasoning.length + toolCalls.length;

/**
 * The answer of a model as it grows. The first one has the id of the call only. Throws an ApiError, or what `signal` was aborted
 * with.
 */
export async function* answerSteps(call: ChatCall): AsyncGenerator<Step, void, undefined> {
  const { apiUrl, session, body, signal } = call;
  const start = performance.now();
  const elapsed = () => Math.round(performance.now() - start);
  const response = await authorizedFetch(session, `${apiUrl}/api/playground/chat/completions`, {
    method: 'POST',
    credentials: 'include',
    headers: { 'Content-Type': 'application/json' },
    body: stringifyExact(streamed(body)),
    signal,
  });
  const requestId = response.headers.get('X-Inference-Request-Id') ?? undefined;
  let step: Step = { ...WAITING, requestId };
  yield step;
  for await (const { data } of readEvents(response, signal)) {
    if (data === '[DONE]') {
      yield { ...step, state: 'complete', millis: elapsed() };
      return;
    }
    const chunk = JSON.parse(data) as Chunk;
    if (chunk.error) throw new ApiError({ status: 502, detail: chunk.error.message, requestId });
    step = withChunk(step, chunk);
    if (step.firstPieceMillis === undefined && lengthOf(step) > 0)
      step = { ...step, firstPieceMillis: elapsed() };
    yield step;
  }
  throw new ApiError({ status: 0, detail: 'The answer broke off.', requestId });
}
