import { randomBytes } from 'node:crypto';
import { type RequestOptions, type SignedIn, TestConsole, TestSite } from '../../testing/console.fixture';
import { ScriptedService } from '../scripted-service.fixture';

export const GATEWAY_CREDENTIAL = randomBytes(24).toString('hex');
export const AGENT_CREDENTIAL = randomBytes(24).toString('hex');
export const CHAT = '/api/playground/chat/completions';
export const SESSIONS = '/api/agents/sessions';

/** Variables of a console whose gateway and agent are at this URL. The agent is below a path. */
export const environmentOf = (url: string) => ({
  GATEWAY_CREDENTIAL,
  AGENT_CREDENTIAL,
  INTERNAL_GATEWAY_URL: url,
  INTERNAL_AGENT_URL: `${url}/base/`,
});

/** A console that forwards to a service whose answers the test decides, and an account that is signed in. */
export class ForwardingSite {
  private constructor(
    readonly service: ScriptedService,
    readonly site: TestSite,
    readonly account: SignedIn,
  ) {}

  static async start(): Promise<ForwardingSite> {
    const service = await ScriptedService.start();
    const site = await TestSite.start(environmentOf(service.url));
    return new ForwardingSite(service, site, await site.signedIn());
  }

  ask(method: string, path: string, options: RequestOptions = {}, console = this.site.console) {
    return console.request(method, path, { token: this.account.token, ...options });
  }

  /** The response as it arrives, from the console at `url`. */
  open(path: string, url = this.site.console.url, signal?: AbortSignal): Promise<Response> {
    return fetch(url + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${this.account.token}` },
      body: '{}',
      ...(signal && { signal }),
    });
  }

  /** Starts another console on the same database. */
  startConsole(environment: Record<string, string>): Promise<TestConsole> {
    const url = this.site.database.urlFor('console');
    return TestConsole.start(url, { ...environmentOf(this.service.url), ...environment });
  }

  async stop(): Promise<void> {
    await this.site.stop();
    this.service.close();
  }
}
