import createClient, { type Client } from 'openapi-fetch';
import { createContext, use } from 'react';
import { type Figure } from '../figures/figure';
import { type Session } from './session';
import { sendInView } from './account-view';
import { exactFetch } from './authorized-fetch';
import { stringifyExact } from './exact-json';
import { type components, type paths } from './schema/console';

export type ConsoleApi = Client<paths>;
/** The classes of the console's API document by their names. */
export type Schemas = components['schemas'];

export const createConsoleApi = (apiUrl: string, session: Session, fetchIt?: typeof fetch): ConsoleApi =>
  createClient<paths>({
    baseUrl: apiUrl,
    credentials: 'include',
    fetch: exactFetch(session, sendInView, fetchIt),
    bodySerializer: stringifyExact,
  });

const ConsoleApiContext = createContext<ConsoleApi | undefined>(undefined);

export const ConsoleApiProvider = ConsoleApiContext.Provider;

export function useConsoleApi(): ConsoleApi {
  const api = use(ConsoleApiContext);
  if (!api) throw new Error('useConsoleApi needs a ConsoleApiProvider');
  return api;
}

/** The types of openapi-fetch spell the members of a Figure out. */
type Exact<Body> = Body extends { toScreenNumber: unknown }
  ? Figure
  : Body extends (infer Item)[]
    ? Exact<Item>[]
    : Body extends object
      ? { [Name in keyof Body]: Exact<Body[Name]> }
      : Body;

/** The JSON body of a successful answer; of a list that also comes as CSV, its page. Errors are thrown by the call itself, as ApiError. */
export async function bodyOf<Body>(answer: Promise<{ data?: Body }>): Promise<Exact<Exclude<Body, string>>> {
  return (await answer).data as Exact<Exclude<Body, string>>;
}

/** `crypto.randomUUID` is missing on pages without TLS. */
const KEY_BYTES = 16;

/** A new value for the header `Idempotency-Key`. */
export const newIdempotencyKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(KEY_BYTES)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
