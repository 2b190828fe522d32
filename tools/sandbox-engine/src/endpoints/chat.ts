import { type StreamedAnswer, EventStream } from '../http/event-stream';
import { type Generation, MOST_TOKENS, readGeneration, textLength, usageJson } from './generation-parameters';
import { nextId, nowSeconds } from '../http/respond';
import { conversationTokens, readMessages } from './messages';
import type { ModelRequest, TokenCounts } from './model-request';
import { requireKind } from './models';
import { PromptReading } from '../text/prompt';
import { type Reply, textReply, toolReply } from '../text/reply';
import { chooseToolCall } from '../text/tool-calls';
import { sendJsonAnswer } from '../http/json-answer';

/** Answers `POST /v1/chat/completions`. */
export function answerChat(request: ModelRequest): void {
  const { body, bodyBytes, model } = request;
  requireKind(model, 'text');
  const reading = new PromptReading(model.seed);
  const { last, messageCount } = readMessages(body, reading);
  const generation = readGeneration(request);
  const reply = replyTo(request, generation, chooseToolCall(body, last, reading.hash), reading.hash);
  const counts: TokenCounts = {
    prompt: conversationTokens(reading.words, messageCount, bodyBytes),
    completion: reply.tokens * generation.choices,
  };
  if (generation.stream) new EventStream(request, streamed(request, generation, reply, counts)).start();
  else
    sendJsonAnswer(request, {
      json: wholeJson(request, generation, reply, counts),
      counts,
      steps: reply.tokens,
    });
}

function replyTo(
  request: ModelRequest,
  generation: Generation,
  call: ReturnType<typeof chooseToolCall>,
  promptHash: number,
): Reply {
  if (call !== undefined) return toolReply(call, generation.maxTokens);
  const { tokens, finishReason } = textLength(request, generation, MOST_TOKENS);
  return textReply(promptHash, tokens, finishReason);
}

function head(request: ModelRequest, object: string): string {
  return (
    `{"id":"${nextId('chatcmpl-')}","object":"${object}","created":${nowSeconds()},"model":${request.model.nameJson},` +
    '"service_tier":"default","system_fingerprint":"fp_sandbox",'
  );
}

function wholeJson(request: ModelRequest, generation: Generation, reply: Reply, counts: TokenCounts): string {
  let choices = '';
  for (let index = 0; index < generation.choices; index += 1) {
    const message = reply.messageOf(index);
    if (index > 0) choices += ',';
    choices += `{"index":${index},"message":${message},"logprobs":null,"finish_reason":"${reply.finishReason}"}`;
  }
  const usage = usageJson(request, counts, 'detailed');
  return `${head(request, 'chat.completion')}"choices":[${choices}]${usage === undefined ? '' : `,"usage":${usage}`}}`;
}

function streamed(
  request: ModelRequest,
  { choices, streamsUsage }: Generation,
  reply: Reply,
  counts: TokenCounts,
): StreamedAnswer {
  const before = `data: ${head(request, 'chat.completion.chunk')}"choices":[`;
  const after = streamsUsage ? '],"usage":null}\n\n' : ']}\n\n';
  const chunk = (index: number, delta: string, finish: string): string =>
    `${before}{"index":${index},"delta":${delta},"logprobs":null,"finish_reason":${finish}}${after}`;
  let opening = '';
  let closing = '';
  for (let index = 0; index < choices; index += 1) {
    opening += chunk(index, reply.openingDelta, 'null');
    closing += chunk(index, '{}', `"${reply.finishReason}"`);
  }
  if (streamsUsage) closing += `${before}],"usage":${usageJson(request, counts, 'detailed')}}\n\n`;
  return {
    promptTokens: counts.prompt,
    opening,
    tokenCount: counts.completion,
    choices,
    tokenEvent: (index) => {
      const choice = index % choices;
      return chunk(choice, reply.deltaAt(choice, (index - choice) / choices), 'null');
    },
    closing: `${closing}data: [DONE]\n\n`,
  };
}
