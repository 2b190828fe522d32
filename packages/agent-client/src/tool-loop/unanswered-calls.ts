import { type ToolCall } from '../events/event.ts';
import { Events } from '../events/events.ts';
import { type Transport } from '../http/transport.ts';
import { Sessions } from '../sessions/sessions.ts';

const EVENTS_PER_PAGE = 100;

/**
 * The calls for which the session has no results. Reads the events from the newest back to the calls. The id of a call is
 * unique in its session.
 */
export async function unansweredCalls(
  transport: Transport,
  sessionId: string,
  calls: readonly ToolCall[],
  signal?: AbortSignal,
): Promise<ToolCall[]> {
  const { last_seq: newest } = await new Sessions(transport).get(sessionId, { signal });
  const events = new Events(transport);
  const answered = new Set<string>();
  let areReached = false;
  for (let end = newest; end > 0 && !areReached; end -= EVENTS_PER_PAGE) {
    const options = { after: Math.max(0, end - EVENTS_PER_PAGE), limit: EVENTS_PER_PAGE, signal };
    for (const event of (await events.page(sessionId, options)).events) {
      if (event.type === 'tool_result') {
        for (const { tool_call_id: id } of event.tool_call_results) answered.add(id);
      } else if (event.type === 'tool_calls') {
        areReached ||= event.tool_calls.some(({ id }) => id === calls[0]?.id);
      }
    }
  }
  return calls.filter(({ id }) => !answered.has(id));
}
