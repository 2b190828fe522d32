import { createContext, use } from 'react';
import { apiErrorOf, connectionError } from '../api/api-error';

/** `config.json` beside the pages: what differs between installations of the same build. */
export interface RuntimeConfig {
  /** Address of the console service without a slash at its end; empty if it is the origin of the pages. */
  apiUrl: string;
}

/** Throws an ApiError if the file cannot be read. */
export async function loadRuntimeConfig(): Promise<RuntimeConfig> {
  const response = await fetch('/config.json').catch((error: unknown) => {
    throw connectionError(error);
  });
  if (!response.ok) throw apiErrorOf(response, undefined);
  const { apiUrl = '' } = (await response.json()) as Partial<RuntimeConfig>;
  return { apiUrl: apiUrl.replace(/\/+$/, '') };
}

const RuntimeConfigContext = createContext<RuntimeConfig>({ apiUrl: '' });

export const RuntimeConfigProvider = RuntimeConfigContext.Provider;
export const useRuntimeConfig = (): RuntimeConfig => use(RuntimeConfigContext);
