/** Something that takes a while and goes on when another page is opened. */
export interface Activity {
  id: string;
  kind: 'upload' | 'export' | 'payment' | 'turn';
  /** What people know it by, such as the name of a file. */
  title: string;
  state: 'running' | 'done' | 'failed';
  /** From 0 to 1, if it is known. */
  progress?: number | undefined;
  /** Path of the page on which it goes on. */
  to?: string | undefined;
}

type NewActivity = Pick<Activity, 'kind' | 'title' | 'to'>;

interface ActivityHandle {
  /** `share`: from 0 to 1. */
  progress(share: number): void;
  done(): void;
  fail(): void;
  /** Someone stopped it: it is not shown any more. */
  remove(): void;
}

const MOST_FINISHED = 10;

/** The activities of this tab. They end with the tab: what goes on at a service is asked of the service. */
class ActivityStore {
  private activities: readonly Activity[] = [];
  private readonly listeners = new Set<() => void>();
  private count = 0;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };
  readonly getAll = (): readonly Activity[] => this.activities;

  start(activity: NewActivity): ActivityHandle {
    const id = `tab-${(this.count += 1)}`;
    this.set([{ ...activity, id, state: 'running' }, ...this.activities]);
    const change = (changed: Partial<Activity>) =>
      this.set(this.activities.map((one) => (one.id === id ? { ...one, ...changed } : one)));
    return {
      progress: (progress) => change({ progress }),
      done: () => change({ state: 'done' }),
      fail: () => change({ state: 'failed' }),
      remove: () => this.set(this.activities.filter((one) => one.id !== id)),
    };
  }

  /** Forgets what has ended. */
  clear(): void {
    this.set(this.activities.filter(({ state }) => state === 'running'));
  }

  /** Forgets all, as another account may sign in. */
  clearAll(): void {
    this.set([]);
  }

  private set(activities: readonly Activity[]): void {
    let finished = 0;
    this.activities = activities.filter(
      ({ state }) => state === 'running' || (finished += 1) <= MOST_FINISHED,
    );
    for (const listener of this.listeners) listener();
  }
}

export const activityStore = new ActivityStore();

/**
 * Shows something long in the header of all pages until it ends. `work` tells its progress, from 0 to 1, if it knows it; if it
 * throws an AbortError, someone stopped it.
 */
export async function runActivity<Result>(
  activity: NewActivity,
  work: (onProgress: (share: number) => void) => Promise<Result>,
): Promise<Result> {
  const handle = activityStore.start(activity);
  try {
    const result = await work(handle.progress);
    handle.done();
    return result;
  } catch (error) {
    if ((error as Error).name === 'AbortError') handle.remove();
    else handle.fail();
    throw error;
  }
}
