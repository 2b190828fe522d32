import { GUEST } from '../known/known-fields';
import { type Platform } from './platform';
import { type FuzzRequest } from '../requests/requests';

/** What a credential adds to a request. */
export interface Presentation {
  headers?: Record<string, string>;
  query?: string;
}

/** Whose credentials a request has. */
type Caller = 'demo' | 'admin' | 'guest';

const GARBAGE: Presentation[] = [
  { headers: { Authorization: 'Bearer rubbish' } },
  { headers: { Authorization: 'Basic YTpi' } },
  { headers: { Authorization: 'Bearer eyJhbGciOiJub25lIn0.e30.' } },
  { headers: { Authorization: `Bearer bfvk-${'0'.repeat(36)}` } },
  { headers: { Authorization: 'Bearer' } },
  { headers: { 'X-API-Key': 'sk_0' } },
  { headers: { Cookie: 'session=%00' } },
];

const SIGN_IN_ATTEMPTS = 5;

/** Paths that are open to administrators and analysts only, besides those below `/admin/`. */
const STAFF_PATHS = ['/api/cost-report'];

/** The credentials of a platform; sessions are opened again when they have ended. */
export class Credentials {
  private readonly sessions = new Map<Caller, Promise<Session>>();

  constructor(private readonly platform: Platform) {}

  sessionOf(caller: Caller): Promise<Session> {
    let session = this.sessions.get(caller);
    if (!session) {
      session = this.signIn(caller);
      // A failure is not kept.
      session.catch(() => this.sessions.delete(caller));
      this.sessions.set(caller, session);
    }
    return session;
  }

  /** Opens a new session, if no other request has done so since the request was sent. */
  async replace(request: FuzzRequest, refused: Presentation): Promise<void> {
    const caller = callerOf(request);
    const { token } = await this.sessionOf(caller);
    if (JSON.stringify(refused).includes(token)) this.sessions.delete(caller);
  }

  /** A session ends after half an hour. */
  async replaceIfEnded(caller: Caller): Promise<void> {
    const { token } = await this.sessionOf(caller);
    const response = await fetch(`${this.platform.urls.console}/api/auth/me`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    await response.arrayBuffer();
    if (response.status === 401) this.sessions.delete(caller);
  }

  async presentationOf(request: FuzzRequest): Promise<Presentation> {
    const { presented, choice } = request;
    if (presented === 'none') return {};
    if (presented === 'garbage') return GARBAGE[choice % GARBAGE.length]!;
    const session = await this.sessionOf(callerOf(request));
    const known = this.rightOnes(request, session);
    return known[Math.floor(choice / 7) % Math.max(1, known.length)] ?? {};
  }

  /** A sign-in is refused while a request changes the password of the account. */
  private async signIn(caller: Caller): Promise<Session> {
    const { identifier, password } = caller === 'guest' ? GUEST : this.platform.accounts[caller];
    for (let attempt = 1; ; attempt++) {
      const response = await fetch(`${this.platform.urls.console}/api/auth/login`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ identifier, password }),
      });
      const text = await response.text();
      if (response.ok) return JSON.parse(text) as Session;
      if (attempt === SIGN_IN_ATTEMPTS) throw new Error(`${identifier} cannot sign in: ${text}`);
    }
  }

  private rightOnes(request: FuzzRequest, { token, user }: Session): Presentation[] {
    const { target, isExemplary, path } = request;
    const caller = callerOf(request);
    const { accounts, memo, trainerCredential, agentCredential } = this.platform;
    const callerCredentials: Record<string, string> = {
      agent: this.platform.consoleAgentCredential,
      'router-cost': this.platform.consoleRouterCostCredential,
    };
    const callerCredential = callerCredentials[target.service] ?? agentCredential;
    const { apiKey } = accounts[caller === 'guest' ? 'demo' : caller];
    const bearer = (secret: string): Presentation => ({ headers: { Authorization: `Bearer ${secret}` } });
    const byKind: Record<string, Presentation> = {
      session: bearer(token),
      session_cookie: { headers: { Cookie: `session=${token}` } },
      session_query: { query: `token=${token}` },
      api_key: bearer(apiKey),
      api_key_header: { headers: { 'X-API-Key': apiKey } },
      api_key_scheme: { headers: { Authorization: `ApiKey ${apiKey}` } },
      workspace_key: { headers: { 'X-API-Key': memo.apiKey } },
      service: bearer(trainerCredential),
      on_behalf: { headers: { ...bearer(callerCredential).headers, 'X-On-Behalf-Of': user.id } },
    };
    return (
      (target.operation.security ?? [])
        .flatMap(Object.keys)
        // The key is valid in its workspace only.
        .filter((kind) => kind !== 'workspace_key' || !isExemplary || path.includes(memo.workspaceId))
        .flatMap((kind) => byKind[kind] ?? [])
    );
  }
}

export interface Session {
  token: string;
  user: { id: string };
}

/** Requests to `/api/auth` end sessions. Exemplary requests come from one customer, so that they find what it has made. */
export function callerOf({ target: { path }, isExemplary, choice }: FuzzRequest): Caller {
  if (path.startsWith('/api/auth/')) return 'guest';
  if (path.includes('/admin/') || STAFF_PATHS.includes(path)) return 'admin';
  return isExemplary || Math.floor(choice / 11) % 3 > 0 ? 'demo' : 'admin';
}
