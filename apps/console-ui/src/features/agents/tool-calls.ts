import { type AgentEvent, type ToolCall, type ToolDefinition } from '@inference/agent-client';

/** The tools that a text describes as JSON, in OpenAI's shape; undefined if it does not. Nothing describes no tools. */
export function toolsIn(text: string): ToolDefinition[] | undefined {
  if (text.trim() === '') return [];
  try {
    const tools: unknown = JSON.parse(text);
    return Array.isArray(tools) && tools.every(isTool) ? tools : undefined;
  } catch {
    return undefined;
  }
}

function isTool(value: unknown): value is ToolDefinition {
  const { type, function: described } = (value ?? {}) as Partial<ToolDefinition>;
  return type === 'function' && typeof described?.name === 'string';
}

const callOf = (event: AgentEvent): string | undefined =>
  'request_id' in event ? event.request_id : undefined;

/** The calls of models that each turn has cost so far, by the id of the last event of the turn. */
export function callsByLastEvent(events: AgentEvent[]): Map<string, string[]> {
  const turns = new Map<string, { lastEvent: string; calls: string[] }>();
  for (const event of events) {
    const call = callOf(event);
    const calls = turns.get(event.turn_id)?.calls ?? [];
    turns.set(event.turn_id, { lastEvent: event.id, calls: call === undefined ? calls : [...calls, call] });
  }
  return new Map([...turns.values()].map(({ lastEvent, calls }) => [lastEvent, calls]));
}

/** Whether the newest turn was cancelled in the middle of an answer, and the call is not named yet. */
export function waitsForCall(events: AgentEvent[]): boolean {
  const [before, last] = events.slice(-2);
  return (
    last?.type === 'turn.cancelled' &&
    last.request_id === undefined &&
    before?.status === 'incomplete' &&
    before.turn_id === last.turn_id
  );
}

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
