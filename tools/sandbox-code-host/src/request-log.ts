import { type IncomingMessage } from 'node:http';

const MAX_KEPT = 10_000;

/** One received call of the API. */
export interface SandboxRequest {
  /** Path and query. */
  path: string;
  /** Milliseconds since 1970. */
  at: number;
  if_none_match: string | null;
  accept: string | null;
  user_agent: string | null;
  api_version: string | null;
  /** Whether it brought any token. */
  has_token: boolean;
  /** The status of the answer; null if there is none yet. */
  status: number | null;
}

export class Requests {
  private kept: SandboxRequest[] = [];

  add(request: IncomingMessage): SandboxRequest {
    const header = (name: string) => {
      const value = request.headers[name];
      return typeof value === 'string' ? value : null;
    };
    const entry: SandboxRequest = {
      path: request.url ?? '/',
      at: Date.now(),
      if_none_match: header('if-none-match'),
      accept: header('accept'),
      user_agent: header('user-agent'),
      api_version: header('x-github-api-version'),
      has_token: header('authorization') !== null,
      status: null,
    };
    this.kept.push(entry);
    if (this.kept.length > MAX_KEPT) this.kept.shift();
    return entry;
  }

  list(): SandboxRequest[] {
    return this.kept;
  }

  forget(): void {
    this.kept = [];
  }
}
