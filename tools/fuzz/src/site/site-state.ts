import { type Credentials } from './credentials';
import { GUEST, OWN_MODEL } from '../known/known-fields';
import { NATIVE_MODEL } from './native-server';
import { type Platform } from './platform';

/** For a million tokens, in the currency of the site. */
const NATIVE_PRICE = 0.01;
const ACCOUNTS = ['demo', 'admin'] as const;
/** In the currency of the site: some hundred calls of the sandbox models. */
const CREDIT = 25;
const PRICES = '/api/admin/billing/pricing';
const SERVED_MODELS = '/api/admin/inference/models';
const UPSTREAMS = '/api/admin/upstreams';
/** Instead of a slug: every model that is not named. */
const EVERY_MODEL = '*';
const WAIT_MILLIS = 100;
const ATTEMPTS = 100;

interface Prices {
  models: { slug: string; unit: string; price: number }[];
}

/** What a site was started with. Requests change prices and spend the credit, so each round begins with them again. */
export class SiteState {
  /** Ids and slugs without which credentials or models would end. */
  private readonly origins = new Set<string>();
  private prices: Prices = { models: [] };
  private trainingPrice: unknown;

  constructor(
    private readonly platform: Platform,
    private readonly credentials: Credentials,
  ) {}

  async read(): Promise<void> {
    const { urls, memo } = this.platform;
    await this.call('/api/auth/register', 'POST', { email: GUEST.identifier, password: GUEST.password });
    for (const account of ACCOUNTS) {
      const { token, user } = await this.credentials.sessionOf(account);
      await this.call('/api/auth/me', 'PATCH', { stores_responses: true }, token);
      const keys = `${urls.memo}/v1/workspaces/${memo.workspaceId}/keys`;
      const lists = [`${urls.console}/api/api-keys`, `${urls.console}/api/models`];
      if (account === 'demo') lists.push(keys);
      for (const list of lists) this.addOrigins(await readJson(list, token));
      this.origins.add(user.id);
    }
    this.origins.add((await this.credentials.sessionOf('guest')).user.id);
    this.origins.add(memo.workspaceId);
    await this.addNativeModel();
    const { models } = (await this.callAsAdmin(`${PRICES}/models`, 'GET')) as Prices;
    this.prices = { models: models.map(({ slug, unit, price }) => ({ slug, unit, price })) };
    // A request that names one of these anew could hide it.
    for (const slug of new Set([OWN_MODEL, EVERY_MODEL, ...models.map((model) => model.slug)]))
      await this.callAsAdmin(SERVED_MODELS, 'POST', { slug });
    this.addOrigins(await this.callAsAdmin(SERVED_MODELS, 'GET'));
    const upstreams = (await this.callAsAdmin(UPSTREAMS, 'GET')) as { upstreams: Entries[] };
    this.addOrigins(upstreams);
    upstreams.upstreams.forEach((upstream) => this.addOrigins(upstream));
    const { training } = (await this.callAsAdmin(`${PRICES}/training`, 'GET')) as { training: unknown };
    this.trainingPrice = training;
  }

  /** Whether the id or slug is one that the site was started with. */
  isOrigin(idOrSlug: string): boolean {
    return this.origins.has(idOrSlug);
  }

  private async addNativeModel(): Promise<void> {
    await this.callAsAdmin(UPSTREAMS, 'POST', {
      name: 'native',
      base_url: this.platform.native.url,
      protocols: ['messages', 'responses'],
      models: [{ model: NATIVE_MODEL }],
    });
    await this.callAsAdmin(`${PRICES}/models`, 'PATCH', {
      models: ['per_million_input_tokens', 'per_million_output_tokens'].map((unit) => ({
        slug: NATIVE_MODEL,
        unit,
        price: NATIVE_PRICE,
      })),
    });
  }

  async restore(): Promise<void> {
    await this.credentials.replaceIfEnded('admin');
    for (const account of ACCOUNTS) {
      const { user } = await this.credentials.sessionOf(account);
      const adjustment = { account_id: user.id, amount: CREDIT, description: 'Credit for the next round' };
      await this.callAsAdmin('/api/admin/billing/adjustments', 'POST', adjustment);
    }
    await this.callAsAdmin(`${PRICES}/models`, 'PUT', this.prices);
    await this.callAsAdmin(`${PRICES}/training`, 'PUT', this.trainingPrice);
    await this.untilOffered();
  }

  /** Waits until the gateway offers the models of `read`. */
  async untilOffered(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const missing = await this.modelsNotOffered();
      if (missing.length === 0) break;
      if (attempt === ATTEMPTS) throw new Error(`The gateway does not offer ${missing.join(', ')}.`);
      await new Promise((resolve) => setTimeout(resolve, WAIT_MILLIS));
    }
  }

  /** The customer pays at the payment provider. */
  async pay(paymentId: string): Promise<void> {
    const response = await fetch(`${this.platform.sandbox.payments}/orders/${paymentId}/pay`, {
      method: 'POST',
    });
    await response.arrayBuffer();
  }

  /** The models that the site was started with, without those that the gateway offers. */
  private async modelsNotOffered(): Promise<string[]> {
    const { urls, accounts } = this.platform;
    const list = (await readJson(`${urls.gateway}/v1/models`, accounts.demo.apiKey)) as Entries;
    const offered = new Set(list.data!.map(({ id }) => id));
    return this.prices.models.map(({ slug }) => slug).filter((slug) => !offered.has(slug));
  }

  private addOrigins(lists: unknown): void {
    for (const entries of Object.values(lists as Entries))
      if (Array.isArray(entries))
        for (const { id, slug } of entries) [id, slug].forEach((name) => name && this.origins.add(name));
  }

  private async callAsAdmin(path: string, method: string, body?: unknown): Promise<unknown> {
    const { token } = await this.credentials.sessionOf('admin');
    return this.call(path, method, body, token);
  }

  private async call(path: string, method: string, body?: unknown, token?: string): Promise<unknown> {
    const response = await fetch(this.platform.urls.console + path, {
      method,
      headers: {
        'Content-Type': 'application/json',
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  }
}

type Entries = Record<string, { id?: string; slug?: string }[] | undefined>;

async function readJson(url: string, token: string): Promise<unknown> {
  const response = await fetch(url, { headers: { Authorization: `Bearer ${token}` } });
  const text = await response.text();
  if (!response.ok) throw new Error(`GET ${url}: ${response.status} ${text}`);
  return JSON.parse(text);
}
