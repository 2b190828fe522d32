import { z } from 'zod';

/** What the host is told to do wrong. */
export const behaviour = z.strictObject({
  /** `owner/repository`; all of them unless told. */
  repository: z.string().optional(),
  /** One kind of call; both unless told. */
  call: z.enum(['releases', 'attach_files']).optional(),
  /** From this page of a list on. */
  page: z.int().min(1).default(1),
  /** Answered in place of 200. */
  status: z.int().min(200).max(599).optional(),
  headers: z.record(z.string(), z.string()).default({}),
  /** Sent in place of the list, as it is. */
  body: z.string().optional(),
  /**
   * hang: never answered. cut: the connection ends without an answer. cut_midway: it ends in the middle of one.
   * truncated: half of the JSON, as if it were all. endless: a body that never ends. stalled: half, and then nothing.
   */
  fault: z.enum(['hang', 'cut', 'cut_midway', 'truncated', 'endless', 'stalled']).optional(),
});

export type Behaviour = z.output<typeof behaviour>;

export const GOOD_BEHAVIOUR: Behaviour = behaviour.parse({});
