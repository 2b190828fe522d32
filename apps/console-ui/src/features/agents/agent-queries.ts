import { type AgentClient, type AgentEvent, type SessionDetail } from '@inference/agent-client';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { waitsForCall } from './session/turn-calls';
import { apiErrorOfAgent } from './use-agent-clients';

export const AGENT_SESSIONS = ['agent-sessions'];
const PAGE_SIZE = 50;
/** A cancelled call is named when the model has stopped, some moments later. */
const CALL_POLL_MILLIS = 1_000;
/** So that a call that is never named, because its service stopped, is not waited for any longer. */
const MOST_CALL_POLLS = 50;

/** Waits for a call of the agent client, whose errors become ApiErrors. */
async function answerOf<Answer>(call: Promise<Answer>): Promise<Answer> {
  try {
    return await call;
  } catch (error) {
    throw apiErrorOfAgent(error);
  }
}

export const agentSessionsQuery = (client: AgentClient) =>
  infiniteQueryOptions({
    queryKey: AGENT_SESSIONS,
    queryFn: ({ signal, pageParam }) =>
      answerOf(
        client.sessions.page({ limit: PAGE_SIZE, signal, ...(pageParam !== '' && { cursor: pageParam }) }),
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor: cursor }) => cursor,
    retry: false,
  });

export interface StoredConversation {
  session: SessionDetail;
  events: AgentEvent[];
}

async function readConversation(
  client: AgentClient,
  id: string,
  signal: AbortSignal,
): Promise<StoredConversation> {
  // The session first: a turn that ends in between is then followed to its end, instead of being missed.
  const session = await client.sessions.get(id, { signal });
  const events: AgentEvent[] = [];
  for await (const event of client.events.list(id, { signal, limit: 100 })) events.push(event);
  return { session, events };
}

export const agentSessionQuery = (client: AgentClient, id: string) =>
  queryOptions({
    queryKey: ['agent-session', id],
    queryFn: ({ signal }) => answerOf(readConversation(client, id, signal)),
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      dataUpdateCount < MOST_CALL_POLLS && waitsForCall(data?.events ?? []) && CALL_POLL_MILLIS,
    retry: false,
  });
