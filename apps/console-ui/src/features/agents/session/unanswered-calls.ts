import { type AgentEvent, type ToolCall } from '@inference/agent-client';

/** The tool calls of a turn that have no result yet, in the order of the model. */
export function unansweredCalls(events: AgentEvent[], turnId: string): ToolCall[] {
  const ofTurn = events.filter((event) => event.turn_id === turnId);
  const answered = new Set(
    ofTurn.flatMap((event) =>
      event.type === 'tool_result' ? event.tool_call_results.map(({ tool_call_id: id }) => id) : [],
    ),
  );
  const asked = ofTurn.flatMap((event) => (event.type === 'tool_calls' ? event.tool_calls : []));
  return asked.filter(({ id }) => !answered.has(id));
}

/** How many rounds of tool calls of a turn are stored: a stream from the turn's start repeats them. */
export const storedRounds = (events: AgentEvent[], turnId: string): number =>
  events.filter((event) => event.type === 'tool_calls' && event.turn_id === turnId).length;
