import { SandboxOidc, type SignIn } from '@inference/sandbox-oidc';
import { findFreePort, rememberAnswer, rememberRequest, rememberSecret, waitFor } from '@inference/testing';
import { type Answer, TestConsole, TestSite } from '../../testing/console.fixture';
import { cookieIn } from '../../testing/cookies.fixture';
import { OAuthFlowsService } from './oauth-flows.service';

/** CONSOLE_URL of the tests. The console listens on another port. */
const CONSOLE_URL = 'http://console.test';
export const UI_URL = 'http://ui.test';
export const JSON_ONLY = { Accept: 'application/json' };
export const BROWSER = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

const WAITING = `
  SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
const CLIENT_ID = 'console';
export const clientSecretOf = (name: string) => `client-secret-of-the-console-at-${name}`;

export const callbackOf = (name: string) => `${CONSOLE_URL}/api/auth/oauth/${name}/callback`;

/** A provider at which the console is registered. The address is in its id token or in its userinfo response. */
export async function startProvider(
  name: string,
  claimsIn: 'userinfo' | 'id_token' = 'userinfo',
  token_endpoint_auth_method: 'client_secret_basic' | 'client_secret_post' = 'client_secret_basic',
): Promise<SandboxOidc> {
  const client = {
    client_id: CLIENT_ID,
    client_secret: clientSecretOf(name),
    redirect_uris: [callbackOf(name)],
    token_endpoint_auth_method,
  };
  return SandboxOidc.start({ clients: [client], claimsIn, port: await findFreePort() });
}

export const settingsOf = (name: string, issuer: string) => ({
  name,
  issuer,
  client_id: CLIENT_ID,
  client_secret: clientSecretOf(name),
});

export interface BegunFlow {
  authorizationUrl: string;
  /** The cookie as the browser sends it back. */
  cookie: string;
}

/** A client that signs in through providers and follows no redirect. */
export class OAuthClient {
  constructor(private readonly console: TestConsole) {}

  async get(path: string, headers: Record<string, string> = JSON_ONLY): Promise<Answer> {
    rememberRequest(path, headers);
    const response = await fetch(this.console.url + path, { headers, redirect: 'manual' });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
    const body: unknown = isJson ? JSON.parse(text) : undefined;
    rememberAnswer(response.headers, body);
    return { status: response.status, headers: response.headers, text, body };
  }

  async begin(name: string, query = ''): Promise<BegunFlow> {
    const answer = await this.get(`/api/auth/oauth/${name}${query}`);
    if (answer.status !== 302) throw new Error(`No redirect to ${name}: ${answer.status} ${answer.text}`);
    return this.keep(name, answer, answer.headers.get('location')!);
  }

  async beginLink(name: string, token: string, json?: object): Promise<BegunFlow> {
    const answer = await this.console.request('POST', `/api/auth/oauth/${name}/link`, { token, json });
    if (answer.status !== 200) throw new Error(`No link to ${name}: ${answer.status} ${answer.text}`);
    return this.keep(name, answer, (answer.body as { authorization_url: string }).authorization_url);
  }

  /** Requests the callback with the cookie of its flow or another cookie. */
  finish(
    returned: string,
    cookie: string | null,
    headers: Record<string, string> = JSON_ONLY,
  ): Promise<Answer> {
    const path = returned.slice(CONSOLE_URL.length);
    return this.get(path, { ...headers, ...(cookie === null ? {} : { Cookie: cookie }) });
  }

  /** A complete sign-in in a new browser. */
  async signIn(
    provider: SandboxOidc,
    name: string,
    how: SignIn,
    headers: Record<string, string> = JSON_ONLY,
  ): Promise<Answer> {
    const { authorizationUrl, cookie } = await this.begin(name);
    return this.finish(await provider.signIn(authorizationUrl, how), cookie, headers);
  }

  /** Links an identity of a provider to the account of a session. */
  async link(
    provider: SandboxOidc,
    name: string,
    token: string,
    how: SignIn,
    json?: { password: string },
  ): Promise<Answer> {
    const { authorizationUrl, cookie } = await this.beginLink(name, token, json);
    return this.finish(await provider.signIn(authorizationUrl, how), cookie);
  }

  private async keep(name: string, answer: Answer, authorizationUrl: string): Promise<BegunFlow> {
    const cookie = cookieIn(answer, 'oauth_flow')!;
    const sealed = cookie.slice(cookie.indexOf('=') + 1);
    const flow = await this.console.app.get(OAuthFlowsService).open(name, sealed);
    if (!flow) throw new Error('The flow cannot be decrypted.');
    for (const secret of [flow.codeVerifier, flow.nonce, flow.state]) rememberSecret(secret);
    return { authorizationUrl, cookie };
  }
}

/** A console with its own database and the two providers `alpha` and `beta`. */
export class OAuthSite {
  private constructor(
    readonly site: TestSite,
    readonly alpha: SandboxOidc,
    readonly beta: SandboxOidc,
    readonly client: OAuthClient,
  ) {}

  static async start(environment: Record<string, string> = {}): Promise<OAuthSite> {
    const alpha = await startProvider('alpha');
    const beta = await startProvider('beta', 'id_token');
    const providers = [settingsOf('alpha', alpha.issuer), settingsOf('beta', beta.issuer)];
    const site = await TestSite.start({
      CONSOLE_UI_URL: UI_URL,
      OAUTH_PROVIDERS: JSON.stringify(providers),
      ...environment,
    });
    return new OAuthSite(site, alpha, beta, new OAuthClient(site.console));
  }

  /** Another console on the same database and with the same providers. */
  async another(environment: Record<string, string>): Promise<{ console: TestConsole; client: OAuthClient }> {
    const providers = [settingsOf('alpha', this.alpha.issuer), settingsOf('beta', this.beta.issuer)];
    const console = await TestConsole.start(this.site.database.urlFor('console'), {
      CONSOLE_UI_URL: UI_URL,
      OAUTH_PROVIDERS: JSON.stringify(providers),
      ...environment,
    });
    return { console, client: new OAuthClient(console) };
  }

  /** Runs work while a transaction holds the locks of a statement, until `count` others wait for it. */
  async whileHeld<T>(
    statement: string,
    values: unknown[],
    count: number,
    work: () => Promise<T>,
  ): Promise<T> {
    const { pool } = this.site.database;
    const holder = await pool.connect();
    try {
      await holder.query('BEGIN');
      await holder.query(statement, values);
      const outcome = work();
      await waitFor(async () => (await pool.query(WAITING)).rowCount === count);
      await holder.query('COMMIT');
      return await outcome;
    } finally {
      holder.release(true);
    }
  }

  async stop(): Promise<void> {
    await Promise.all([this.alpha.kill(), this.beta.kill(), this.site.stop()]);
  }
}
