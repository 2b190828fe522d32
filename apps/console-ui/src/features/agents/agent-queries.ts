import {
  AgentClient,
  AgentError,
  type AgentEvent,
  type Session,
  type SessionDetail,
} from '@inference/agent-client';
import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { useMemo } from 'react';
import { ApiError, toApiError } from '../../api/api-error';
import { refuseInView } from '../../api/account-view';
import { useSession } from '../../api/session';
import { useRuntimeConfig } from '../../api/site';
import { type ListView } from '../../components/list-view';
import { type SessionOrder } from './session-view';
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
      refuseInView();
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

/** What a person calls a conversation: the name it was given, or else its id. */
export const nameOf = ({ id, metadata: { title } }: Session): string => title?.trim() || id;

/** As long as the text of metadata may be. */
export const MAX_NAME_CHARS = 512;
const FIRST_NAME_CHARS = 80;

/** The name of a conversation until somebody gives another one: how its first message begins. */
export function firstNameOf(message: string): string {
  const line = message.trim().replace(/\s+/g, ' ');
  const chars = [...line];
  return chars.length > FIRST_NAME_CHARS ? `${chars.slice(0, FIRST_NAME_CHARS).join('')}…` : line;
}

export const agentSessionsQuery = (client: AgentClient, { q, sort }: ListView<SessionOrder> = {}) =>
  infiniteQueryOptions({
    queryKey: [...AGENT_SESSIONS, q ?? '', sort ?? ''],
    queryFn: ({ signal, pageParam }) =>
      answerOf(
        client.sessions.page({
          limit: PAGE_SIZE,
          signal,
          ...(pageParam !== '' && { cursor: pageParam }),
          ...(q !== undefined && { q }),
          ...(sort !== undefined && { sort }),
        }),
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor: cursor }) => cursor,
    placeholderData: keepPreviousData,
    retry: false,
  });

export function useRenameSession() {
  const queryClient = useQueryClient();
  const { calls } = useAgentClients();
  return useMutation({
    mutationFn: ({ session: { id, metadata }, name }: { session: Session; name: string }) =>
      answerOf(calls.sessions.update(id, { metadata: { ...metadata, title: name.trim() } })),
    onSuccess: async ({ id }) => {
      void queryClient.invalidateQueries({ queryKey: AGENT_SESSIONS });
      await queryClient.invalidateQueries(agentSessionQuery(calls, id));
    },
  });
}

export function useDeleteSessions() {
  const queryClient = useQueryClient();
  const { calls } = useAgentClients();
  return useMutation({
    mutationFn: async (sessions: Session[]) => {
      for (const { id } of sessions) {
        await answerOf(calls.sessions.delete(id)).catch((error: ApiError) => {
          // Somebody else was faster.
          if (error.status !== 404) throw error;
        });
        queryClient.removeQueries(agentSessionQuery(calls, id));
      }
    },
    // Also if only some are deleted.
    onSettled: () => queryClient.invalidateQueries({ queryKey: AGENT_SESSIONS }),
  });
}

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
