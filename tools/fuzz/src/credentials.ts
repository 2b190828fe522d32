import { type Platform } from './platform';
import { type DocumentedOperation, type FuzzRequest } from './requests';

/** What a credential adds to a request. */
export interface Presentation {
  headers?: Record<string, string>;
  query?: string;
}

const GARBAGE: Presentation[] = [
  { headers: { Authorization: 'Bearer rubbish' } },
  { headers: { Authorization: 'Basic YTpi' } },
  { headers: { Authorization: 'Bearer eyJhbGciOiJub25lIn0.e30.' } },
  { headers: { Authorization: `Bearer bfvk-${'0'.repeat(36)}` } },
  { headers: { Authorization: 'Bearer' } },
  { headers: { 'X-API-Key': 'sk_0' } },
  { headers: { Cookie: 'session=%00' } },
];

/** The credentials of a platform; sessions are opened again when they have ended. */
export class Credentials {
  private tokens = { demo: '', admin: '' };

  constructor(private readonly platform: Platform) {}

  async openSessions(): Promise<void> {
    for (const name of ['demo', 'admin'] as const) {
      const { identifier, password } = this.platform.accounts[name];
      const response = await fetch(`${this.platform.urls.console}/api/auth/login`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ identifier, password }),
      });
      const { token } = (await response.json()) as { token?: string };
      if (!token) throw new Error(`The account ${name} cannot sign in (${response.status}).`);
      this.tokens[name] = token;
    }
  }

  presentationOf({ target, presented, choice }: FuzzRequest): Presentation {
    if (presented === 'none') return {};
    if (presented === 'garbage') return GARBAGE[choice % GARBAGE.length]!;
    const known = this.rightOnes(target, choice);
    return known[Math.floor(choice / 7) % Math.max(1, known.length)] ?? {};
  }

  /** Whether there is a credential for the operation: for some only the platform's own services have one. */
  has({ target, choice }: FuzzRequest): boolean {
    return this.rightOnes(target, choice).length > 0;
  }

  private rightOnes(target: DocumentedOperation, choice: number): Presentation[] {
    const isAdmin = target.path.includes('/admin/') || Math.floor(choice / 11) % 3 === 0;
    const who = isAdmin ? 'admin' : 'demo';
    const token = this.tokens[who];
    const { apiKey } = this.platform.accounts[who];
    const { trainerCredential, memo } = this.platform;
    const bearer = (secret: string): Presentation => ({ headers: { Authorization: `Bearer ${secret}` } });
    const byKind: Record<string, Presentation | undefined> = {
      session: bearer(token),
      session_cookie: { headers: { Cookie: `session=${token}` } },
      session_query: { query: `token=${token}` },
      api_key: bearer(apiKey),
      api_key_scheme: { headers: { Authorization: `ApiKey ${apiKey}` } },
      workspace_key: { headers: { 'X-API-Key': memo.apiKey } },
      service: trainerCredential === undefined ? undefined : bearer(trainerCredential),
    };
    const kinds = (target.operation.security ?? []).flatMap(Object.keys);
    return kinds.flatMap((kind) => byKind[kind] ?? []);
  }
}
