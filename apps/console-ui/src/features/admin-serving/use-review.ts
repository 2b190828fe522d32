import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { toApiError } from '../../api/api-error';
import { type Figure } from '../../figures/figure';

const CONFLICT = 409;

interface Versioned {
  id: string;
  version: Figure;
}

/** What would be stored, and what is. */
export interface Reviewed<Stored> {
  /** Undefined: nothing is stored yet. */
  base: Stored | undefined;
  after: Stored;
}

interface Options<Stored> {
  /** What the form began with. */
  opened: Stored | undefined;
  /** What is stored now, which somebody else may have changed. */
  readAll: () => Promise<Stored[]>;
  send: (base: Stored | undefined, isDryRun: boolean) => Promise<Stored>;
  onSaved: () => void;
  onRefused: (error: unknown) => void;
}

/**
 * Asks by a dry run what a form would change, and then saves that. If somebody else has stored another version in between, nothing is saved,
 * and the change is shown again beside what is stored now.
 */
export function useReview<Stored extends Versioned>({
  opened,
  readAll,
  send,
  onSaved,
  onRefused,
}: Options<Stored>) {
  const [reviewed, setReviewed] = useState<Reviewed<Stored>>();
  const leave = () => setReviewed(undefined);
  const dryRun = useMutation({
    mutationFn: async () => {
      const base = opened && ((await readAll()).find(({ id }) => id === opened.id) ?? opened);
      return { base, after: await send(base, true) };
    },
    onSuccess: setReviewed,
    onError: (error) => {
      leave();
      onRefused(error);
    },
  });
  const saving = useMutation({
    mutationFn: ({ base }: Reviewed<Stored>) => send(base, false),
    onSuccess: onSaved,
    onError: (error, { base }) => {
      if (base && toApiError(error).status === CONFLICT) return dryRun.mutate();
      leave();
      onRefused(error);
    },
  });
  return {
    reviewed,
    isPending: dryRun.isPending || saving.isPending,
    start: () => dryRun.mutate(),
    save: () => reviewed && saving.mutate(reviewed),
    leave,
  };
}
