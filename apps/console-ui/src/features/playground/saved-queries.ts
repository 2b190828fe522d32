import {
  infiniteQueryOptions,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { type ApiError, toApiError } from '../../api/api-error';
import { bodyOf, type ConsoleApi, useConsoleApi } from '../../api/console-api';
import { stringifyExact } from '../../api/exact-json';
import { Figure } from '../../figures/figure';
import { type Conversation, forHistory, fromHistory, isWaiting, type Saved, titleOf } from './conversation';
import { type Parameters, parametersIn } from './parameters';
import { type useConversation } from './use-conversation';

export interface ListedConversation {
  id: string;
  title: string;
  updated_at: string;
}

export interface Preset {
  id: string;
  name: string;
  parameters: Parameters;
}

const CONVERSATIONS = ['playground-conversations'];
const PRESETS = ['playground-presets'];
const SETTINGS = ['playground-settings'];
/** An account has no more presets. */
const ALL_PRESETS = 100;

/** Parsed answers have Figures for numbers; a conversation calculates with none of its own. */
const withPlainNumbers = (value: unknown): unknown => JSON.parse(stringifyExact(value));

const savedOf = ({ id, revision }: { id: string; revision: Figure }): Saved => ({
  id,
  revision: revision.toScreenNumber(),
});

export const conversationsQuery = (api: ConsoleApi, search: string) =>
  infiniteQueryOptions({
    queryKey: [...CONVERSATIONS, search],
    queryFn: ({ signal, pageParam }) =>
      bodyOf(
        api.GET('/api/playground/conversations', {
          signal,
          params: {
            query: { limit: 30, ...(search && { search }), ...(pageParam && { cursor: pageParam }) },
          },
        }),
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor: cursor }) => cursor,
  });

/** Throws an ApiError 404 if the account has no such conversation. */
export async function readConversation(api: ConsoleApi, id: string): Promise<Conversation> {
  const stored = await bodyOf(api.GET('/api/playground/conversations/{id}', { params: { path: { id } } }));
  return fromHistory(withPlainNumbers(stored.content), savedOf(stored));
}

export function useRenameConversation() {
  const api = useConsoleApi();
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, title }: { id: string; title: string }) =>
      bodyOf(api.PATCH('/api/playground/conversations/{id}', { params: { path: { id } }, body: { title } })),
    onSuccess: () => client.invalidateQueries({ queryKey: CONVERSATIONS }),
  });
}

/** Deletes one conversation, or all. */
export function useDeleteConversations() {
  const api = useConsoleApi();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string | 'all'): Promise<unknown> =>
      id === 'all'
        ? api.DELETE('/api/playground/conversations')
        : api.DELETE('/api/playground/conversations/{id}', { params: { path: { id } } }),
    onSuccess: () => client.invalidateQueries({ queryKey: CONVERSATIONS }),
  });
}

export const presetsQuery = (api: ConsoleApi) =>
  queryOptions({
    queryKey: PRESETS,
    queryFn: async ({ signal }): Promise<Preset[]> => {
      const query = { limit: ALL_PRESETS };
      const { presets } = await bodyOf(api.GET('/api/playground/presets', { signal, params: { query } }));
      return presets.map(({ id, name, settings }) => ({ id, name, parameters: parametersIn(settings) }));
    },
  });

/** Saves parameters as a new preset, or in the place of one. */
export function useSavePreset() {
  const api = useConsoleApi();
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, name, parameters }: Omit<Preset, 'id'> & { id?: string | undefined }) => {
      const body = { name, settings: { ...parameters } };
      return id === undefined
        ? bodyOf(api.POST('/api/playground/presets', { body }))
        : bodyOf(api.PUT('/api/playground/presets/{id}', { params: { path: { id } }, body }));
    },
    onSuccess: () => client.invalidateQueries({ queryKey: PRESETS }),
  });
}

export function useDeletePreset() {
  const api = useConsoleApi();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => api.DELETE('/api/playground/presets/{id}', { params: { path: { id } } }),
    onSuccess: () => client.invalidateQueries({ queryKey: PRESETS }),
  });
}

/** Whether conversations are saved, and what changes it. Undefined until it is known. */
export function useSaving() {
  const api = useConsoleApi();
  const client = useQueryClient();
  const { data } = useQuery({
    queryKey: SETTINGS,
    queryFn: ({ signal }) => bodyOf(api.GET('/api/playground/settings', { signal })),
  });
  const { mutate, error } = useMutation({
    mutationFn: (saves: boolean) =>
      bodyOf(api.PUT('/api/playground/settings', { body: { save_conversations: saves } })),
    onSuccess: (settings) => client.setQueryData(SETTINGS, settings),
  });
  return { saves: data?.save_conversations, change: mutate, error };
}

/** What became of saving, where it is worth a word. */
export type SaveNotice =
  | { kind: 'withoutPictures' | 'tooLong' | 'changed' | 'full' }
  | { kind: 'failed'; error: ApiError };

/** What is wrong until somebody does something about it. */
const BLOCKING = ['changed', 'full', 'failed'];

/** Saves the conversation in the history of the account after each answer and each change, if `isOn`. */
export function useAutosave(
  { conversation, setConversation }: ReturnType<typeof useConversation>,
  isOn: boolean,
  untitled: string,
) {
  const api = useConsoleApi();
  const client = useQueryClient();
  const [notice, setNotice] = useState<
    SaveNotice & Pick<Conversation, 'key' | 'turns'> & { isHidden?: boolean }
  >();
  const isSaving = useRef(false);
  const { key, turns, saved, isSaved } = conversation;
  const isComplete =
    (turns.length > 0 || saved !== undefined) && !turns.some(({ answers }) => answers.some(isWaiting));
  const isBlocked =
    notice?.key === key &&
    BLOCKING.includes(notice.kind) &&
    (notice.kind === 'changed' || notice.turns === turns);
  useEffect(() => {
    if (!isOn || isSaved || !isComplete || isBlocked || isSaving.current) return;
    isSaving.current = true;
    void write(api, conversation, untitled).then((outcome) => {
      isSaving.current = false;
      setNotice(outcome.notice && { ...outcome.notice, key, turns });
      // Always another object: what has changed meanwhile is saved next.
      setConversation((now) =>
        now.key === key && outcome.isDone
          ? {
              ...now,
              saved: outcome.saved,
              isUncertain: false,
              // An entry that was there already is replaced next.
              isSaved: now.turns === turns && !conversation.isUncertain,
            }
          : { ...now },
      );
      return client.invalidateQueries({ queryKey: CONVERSATIONS });
    });
  }, [
    isOn,
    isSaved,
    isComplete,
    isBlocked,
    conversation,
    key,
    turns,
    api,
    client,
    untitled,
    setConversation,
  ]);
  return {
    notice: notice?.key === key && !notice.isHidden ? notice : undefined,
    hide: () => setNotice((before) => before && { ...before, isHidden: true }),
    /** Saves again what could not be saved. */
    retry: () => setNotice(undefined),
    /** Goes on with the turns of this tab as a conversation of their own. */
    separate: () => {
      setNotice(undefined);
      setConversation(separated);
    },
    /** Saves the turns of this tab as a conversation of their own, which stays in the history. False if that failed, which is told. */
    keepApart: async (): Promise<boolean> => {
      const outcome = await write(api, separated(conversation), untitled);
      await client.invalidateQueries({ queryKey: CONVERSATIONS });
      const isKept = outcome.saved !== undefined;
      setNotice(isKept || !outcome.notice ? undefined : { ...outcome.notice, key, turns });
      return isKept;
    },
  };
}

const separated = (conversation: Conversation): Conversation => ({
  ...conversation,
  key: crypto.randomUUID(),
  saved: undefined,
  isSaved: false,
});

interface Outcome {
  /** The history has the turns, or never will. */
  isDone: boolean;
  saved?: Saved | undefined;
  notice?: SaveNotice | undefined;
}

async function write(api: ConsoleApi, conversation: Conversation, untitled: string): Promise<Outcome> {
  const { saved } = conversation;
  const stored = forHistory(conversation);
  if (!stored) return { isDone: true, saved, notice: { kind: 'tooLong' } };
  const content = { ...stored.content };
  const notice: SaveNotice | undefined = stored.isWithoutPictures ? { kind: 'withoutPictures' } : undefined;
  try {
    const answer = saved
      ? api.PUT('/api/playground/conversations/{id}', {
          params: { path: { id: saved.id } },
          body: { content, revision: Figure.of(BigInt(saved.revision)) },
        })
      : api.POST('/api/playground/conversations', {
          body: { title: titleOf(conversation, untitled), content, key: conversation.key },
        });
    return {
      isDone: true,
      saved: savedOf(await bodyOf<{ id: string; revision: Figure }>(answer as never)),
      notice,
    };
  } catch (thrown) {
    const error = toApiError(thrown);
    if (error.code === 'conversation_changed') return { isDone: false, notice: { kind: 'changed' } };
    if (error.code === 'conversations_full') return { isDone: false, notice: { kind: 'full' } };
    // It was deleted elsewhere: the next answer begins a new entry of the history.
    if (error.status === 404) return { isDone: true };
    return { isDone: false, notice: { kind: 'failed', error } };
  }
}
