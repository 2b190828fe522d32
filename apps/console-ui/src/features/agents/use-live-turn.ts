import { type NewEvent, type TurnStream } from '@inference/agent-client';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useAccountId } from '../../api/session';
import { followTurn } from '../../activities/followed-turns';
import {
  agentSessionQuery,
  apiErrorOfAgent,
  type StoredConversation,
  useAgentClients,
} from './agent-queries';
import { storedRounds } from './tool-calls';

/** What a turn has said since the newest stored event. */
interface LiveTurn {
  text: string;
  isRunning: boolean;
  /** Why it could not be followed, or was refused. */
  error?: unknown;
}

const IDLE: LiveTurn = { text: '', isRunning: false };

/**
 * Follows the turn of a session piece by piece, also one that was begun before the page was loaded. A lost connection is
 * taken up where it was. Leaving the page does not cancel the turn.
 */
export function useLiveTurn(id: string, stored: StoredConversation | undefined) {
  const queryClient = useQueryClient();
  const { calls, live } = useAgentClients();
  const accountId = useAccountId();
  const [turn, setTurn] = useState(IDLE);
  const following = useRef<AbortController>(undefined);
  useEffect(() => () => following.current?.abort(), [id]);

  const refresh = useCallback(
    () => queryClient.invalidateQueries(agentSessionQuery(calls, id)),
    [queryClient, calls, id],
  );

  /** Reads a stream to its end. `rounds` that are stored already are passed over. Resolves with whether it was accepted. */
  const follow = useCallback(
    async (open: (signal: AbortSignal) => TurnStream, rounds = 0): Promise<boolean> => {
      following.current?.abort();
      const reading = new AbortController();
      following.current = reading;
      setTurn({ text: '', isRunning: true });
      let stream = open(reading.signal);
      try {
        for (let left = rounds; ; left -= 1) {
          let isFirst = true;
          for await (const event of stream) {
            // The message itself is stored by now.
            if (isFirst) {
              void refresh();
              followTurn(accountId, id);
            }
            isFirst = false;
            if (event.kind === 'delta' && left <= 0)
              setTurn(({ text }) => ({ text: text + event.data.content, isRunning: true }));
          }
          if (left <= 0 || stream.outcome !== 'requires_action') break;
          stream = live.resume(id, stream.position, { signal: reading.signal });
        }
      } catch (error) {
        if (reading.signal.aborted) return true;
        // A turn that failed is stored as such.
        if (stream.outcome !== 'failed') {
          setTurn(({ text }) => ({ text, isRunning: false, error: apiErrorOfAgent(error) }));
          return stream.position !== undefined;
        }
      }
      await refresh();
      if (following.current === reading) setTurn(IDLE);
      return true;
    },
    [live, accountId, id, refresh],
  );

  const resume = useCallback(
    ({ session, events }: StoredConversation) => {
      const turnId = session.open_turns[0]?.id ?? '';
      return follow((signal) => live.resume(id, undefined, { signal }), storedRounds(events, turnId));
    },
    [follow, live, id],
  );

  const isOpen = stored?.session.open_turns.some(({ status }) => status !== 'requires_action') ?? false;
  useEffect(() => {
    if (stored && isOpen && !turn.isRunning && !turn.error) void resume(stored);
  }, [stored, isOpen, turn.isRunning, turn.error, resume]);

  return {
    ...turn,
    send: (event: NewEvent) => follow((signal) => live.stream(id, event, { signal })),
    goOn: () => {
      setTurn(IDLE);
      void refresh();
    },
    cancel: async () => {
      await calls
        .cancel(id)
        .catch((error: unknown) =>
          setTurn(({ text }) => ({ text, isRunning: false, error: apiErrorOfAgent(error) })),
        );
      await refresh();
    },
  };
}
