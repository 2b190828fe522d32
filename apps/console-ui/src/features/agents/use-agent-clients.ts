import { AgentClient, AgentError } from '@inference/agent-client';
import { useMemo } from 'react';
import { ApiError, toApiError } from '../../api/api-error';
import { useRuntimeConfig } from '../../app/runtime-config';
import { useSession } from '../../session/session-context';

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
