import { z } from 'zod';

/** The injected faults. */
export const injectedFaults = z.strictObject({
  /** `owner/repository`. Default: all repositories. */
  repository: z.string().optional(),
  /** One kind of call. Default: both. */
  call: z.enum(['releases', 'attach_files']).optional(),
  /** Affects this page of a list and all later ones. */
  page: z.int().min(1).default(1),
  /** The status that replaces 200. */
  status: z.int().min(200).max(599).optional(),
  headers: z.record(z.string(), z.string()).default({}),
  /** The body that replaces the list. */
  body: z.string().optional(),
  /**
   * hang: no answer. cut: the connection ends without an answer. cut_midway: the connection ends in the middle of one.
   * truncated: a complete answer with half of the JSON. endless: a body that never ends. stalled: half of the body,
   * then nothing, on an open connection.
   */
  fault: z.enum(['hang', 'cut', 'cut_midway', 'truncated', 'endless', 'stalled']).optional(),
});

export type InjectedFaults = z.output<typeof injectedFaults>;

export const NO_FAULTS: InjectedFaults = injectedFaults.parse({});
