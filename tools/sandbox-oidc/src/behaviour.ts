import { z } from 'zod';

const paths = z.string().startsWith('/');

/** What the provider is told to do wrong. */
export const behaviour = z.strictObject({
  /** Statuses to answer, by path: `{"/token": 500}`. */
  status: z.record(paths, z.int().min(400).max(599)).default({}),
  /** Paths whose requests are never answered. */
  hang: z.array(paths).default([]),
  /** Claims of id tokens to replace; null takes one out. They are signed again, with the right key. */
  id_token: z.record(z.string(), z.unknown()).default({}),
  /** The same of what userinfo says. */
  userinfo: z.record(z.string(), z.unknown()).default({}),
  /** Signs id tokens with a key that is not published, under the name of the one that is. */
  foreign_key: z.boolean().default(false),
});

export type Behaviour = z.output<typeof behaviour>;

export const GOOD_BEHAVIOUR: Behaviour = behaviour.parse({});
