import { newId, type Transaction } from '@inference/database';
import { estimateTokens } from '@inference/tokens';
import { type ToolCallResult } from '../tables/tool.dto';
import { markAnswered } from '../tool-calls/tool-calls.repository';
import { insertEvent, type NewSessionEvent, type StoredEvent } from './session-events.repository';

type RequiredKey = 'sessionId' | 'turnId' | 'type' | 'role' | 'content';

/** What is absent is null. The tokens are estimated from the texts by default. */
export type NewEvent = Pick<NewSessionEvent, RequiredKey> &
  Partial<Omit<NewSessionEvent, RequiredKey | 'id'>>;

/** Tokens that a chat template adds to each message, estimated. */
export const MESSAGE_OVERHEAD_TOKENS = 8;

const json = (value: object | null) => (value === null ? null : JSON.stringify(value));

/** Appends an event to a session that the transaction has locked. */
export function appendEvent(transaction: Transaction, event: NewEvent): Promise<StoredEvent> {
  const { content, toolCalls = null, toolCallResults = null } = event;
  return insertEvent(transaction, {
    ...event,
    id: newId('evt'),
    toolCalls,
    toolCallResults,
    status: event.status ?? null,
    finishReason: event.finishReason ?? null,
    usage: event.usage ?? null,
    error: event.error ?? null,
    requestId: event.requestId ?? null,
    tokens: event.tokens ?? estimateEventTokens(content, json(toolCalls), json(toolCallResults)),
    idempotency: event.idempotency ?? null,
  });
}

/** Appends the results of tool calls and marks the calls as answered. */
export async function appendToolResults(
  transaction: Transaction,
  event: NewEvent & { toolCallResults: ToolCallResult[] },
): Promise<StoredEvent> {
  const stored = await appendEvent(transaction, event);
  const callIds = event.toolCallResults.map((result) => result.tool_call_id);
  await markAnswered(transaction, event.sessionId, callIds, stored.id);
  return stored;
}

/** Estimates the tokens that an event with these texts takes of a model's context. */
export function estimateEventTokens(...texts: (string | null)[]): number {
  return texts.reduce((sum, text) => sum + (text ? estimateTokens(text) : 0), MESSAGE_OVERHEAD_TOKENS);
}
