import { env } from '@inference/config';
import { type z } from 'zod';

export const WORKSPACES_CONFIG = Symbol('WORKSPACES_CONFIG');

export const workspacesFields = {
  /** Most existing workspaces that one account has created. */
  MAX_ACCOUNT_WORKSPACES: env.integer(1, 100_000).default(100),
};

/** Limits of workspaces. */
export interface WorkspacesConfig {
  /** Counts existing workspaces by the account that created them. */
  maxWorkspacesPerAccount: number;
}

type WorkspacesFields = z.output<z.ZodObject<typeof workspacesFields>>;

export const workspacesConfig = (config: WorkspacesFields): WorkspacesConfig => ({
  maxWorkspacesPerAccount: config.MAX_ACCOUNT_WORKSPACES,
});
