import { z } from 'zod';

const paths = z.string().startsWith('/');

/** The injected faults. */
export const injectedFaults = z.strictObject({
  /** Response statuses by path: `{"/token": 500}`. */
  status: z.record(paths, z.int().min(400).max(599)).default({}),
  /** Paths whose requests get no response. */
  hang: z.array(paths).default([]),
  /** Claims that replace those of id tokens; null removes a claim. The tokens are signed again with the right key. */
  id_token: z.record(z.string(), z.unknown()).default({}),
  /** Claims that replace those of userinfo; null removes a claim. */
  userinfo: z.record(z.string(), z.unknown()).default({}),
  /** Signs id tokens with an unpublished key, but with the key id of the published one. */
  foreign_key: z.boolean().default(false),
});

export type InjectedFaults = z.output<typeof injectedFaults>;

export const NO_FAULTS: InjectedFaults = injectedFaults.parse({});
