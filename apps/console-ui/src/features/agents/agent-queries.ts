import { AgentClient, AgentError, type AgentEvent, type SessionDetail } from '@inference/agent-client';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { useMemo } from 'react';
import { ApiError, toApiError } from '../../api/api-error';
import { useSession } from '../../api/session';
import { useRuntimeConfig } from '../../api/site';
import { waitsForCall } from './tool-calls';

/** A turn is followed through an hour without a connection, and longer. */
const LIVE_RETRY = { maxFailures: 10_000, giveUpAfterMs: 24 * 3_600_000, maxDelayMs: 5_000 };
const CALL_RETRY = { maxFailures: 2 };

/** Clients of the agent service with the session of this browser: one for calls, and a patient one for live turns. */
export function useAgentClients(): { calls: AgentClient; live: AgentClient } {
  const session = useSession();
  const { apiUrl } = useRuntimeConfig();
  return useMemo(() => {
    const token = async (refused?: string) => {
      const current = refused === undefined ? session.token : undefined;
      const found = current ?? (await session.renew(refused));
      if (found === undefined) throw new AgentError('The session has ended.', { status: 401 });
      return found;
    };
    const options = { baseUrl: apiUrl || window.location.origin, apiPath: '/api/agents', token };
    return {
      calls: new AgentClient({ ...options, retry: CALL_RETRY }),
      live: new AgentClient({ ...options, retry: LIVE_RETRY }),
    };
  }, [session, apiUrl]);
}

/** An error of the agent client as the pages show errors. */
export function apiErrorOfAgent(error: unknown): ApiError {
  if (!(error instanceof AgentError)) return toApiError(error);
  const { status = 0, message, code, retryAfterMs } = error;
  const retryAfterSeconds = retryAfterMs === undefined ? undefined : Math.ceil(retryAfterMs / 1000);
  return new ApiError({ status, detail: message, code, retryAfterSeconds });
}

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
