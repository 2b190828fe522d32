import { resolve } from 'node:path';
import { z } from 'zod';

export const USER_INTERFACE_CONFIG = Symbol('USER_INTERFACE_CONFIG');

export const userInterfaceFields = {
  /** Folder of the console's built pages. Without it this service has no pages. */
  CONSOLE_UI_DIRECTORY: z
    .string()
    .transform((folder) => resolve(folder))
    .optional(),
};

interface Fields {
  CONSOLE_UI_DIRECTORY?: string | undefined;
  MEMO_URL: string;
  ROUTER_URL: string;
  TRAINING_URL: string;
}

export interface UserInterfaceConfig {
  /** Absolute path; undefined if this service has no pages. */
  directory: string | undefined;
  /** Origins beside the console's own that its pages call. */
  calledOrigins: string[];
}

export function userInterfaceOf(config: Fields): UserInterfaceConfig {
  const { MEMO_URL, ROUTER_URL, TRAINING_URL } = config;
  const origins = [MEMO_URL, ROUTER_URL, TRAINING_URL].map((url) => new URL(url).origin);
  return { directory: config.CONSOLE_UI_DIRECTORY, calledOrigins: [...new Set(origins)] };
}
