import { type Executor } from '@inference/database';
import { type SeenEvent } from './agent-calls';
import { type ServiceProcess } from '../site/service-process';

interface Message {
  role: string;
  content: string;
}

/** The stored events of one turn. */
export interface RecordedTurn {
  id: string;
  prompt: string;
  /** The event of the assistant's message, if there is one. */
  answer: SeenEvent | null;
  /** The event of its failure or cancellation, if there is one. */
  ending: SeenEvent | null;
}

/** The turns of a conversation without tools, in order. Throws if the events are out of order. */
export function turnsOf(events: readonly SeenEvent[]): RecordedTurn[] {
  const turns = new Map<string, RecordedTurn>();
  for (const event of events) {
    const turn = turns.get(event.turn_id);
    if (event.role === 'user') {
      if (turn) throw new Error(`${event.turn_id} began twice.`);
      turns.set(event.turn_id, { id: event.turn_id, prompt: event.content, answer: null, ending: null });
    } else if (!turn || turn.ending || (event.type === 'message' && turn.answer)) {
      throw new Error(`${event.type} (${event.seq}) is too much.`);
    } else if (event.type === 'message') turn.answer = event;
    else turn.ending = event;
  }
  return [...turns.values()];
}

/** The prompt of each turn: all messages before it, without the turns that have no answer. */
export function messagesOf(turns: readonly RecordedTurn[]): Message[][] {
  const history: Message[] = [];
  return turns.map(({ prompt, answer }) => {
    const messages = [...history, { role: 'user', content: prompt }];
    if (answer) history.push(...messages.slice(-1), { role: 'assistant', content: answer.content });
    return messages;
  });
}

/** The answer of the engine to a direct request. */
export async function askEngine(engine: ServiceProcess, model: string, messages: Message[]): Promise<string> {
  const response = await fetch(`${engine.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ model, messages }),
  });
  const { choices } = (await response.json()) as { choices: [{ message: Message }] };
  return choices[0].message.content;
}

/** The number of requests that the engine has received. */
export async function engineRequests(engine: ServiceProcess): Promise<number> {
  const response = await fetch(`${engine.url}/_sandbox/served`);
  return ((await response.json()) as { requests: number }).requests;
}

export interface UsageRow {
  entrypoint: string;
  outcome: string;
  input_tokens: number;
  output_tokens: number;
}

/** The usage events of an account, in the order of its requests. */
export async function usageOf(sql: Executor, accountId: string): Promise<UsageRow[]> {
  const { rows } = await sql.query<UsageRow>(
    `SELECT entrypoint, outcome, input_tokens::integer, output_tokens::integer
     FROM metering.usage_events WHERE account_id = $1 ORDER BY started_at`,
    [accountId],
  );
  return rows;
}
