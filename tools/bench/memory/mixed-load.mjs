import { randomBytes } from 'node:crypto';

/**
 * Clients of all services of a site. Each repeats one thing that a user does, with a pause, until it is stopped.
 *
 * @import { Platform } from '../setup/whole-site.mjs'
 * @typedef {object} Client
 * @property {string} does
 * @property {number} pauseMs between two repetitions
 * @property {(site: SiteCalls) => Promise<unknown>} act rejects if an answer is not as it should be
 */

const TOKEN_LIFE_MS = 10 * 60_000;
const DOCUMENT_POLL_MS = 100;
const PAGES_OF_THE_CONSOLE = [
  '/api/auth/me',
  '/api/api-keys',
  '/api/billing/settings',
  '/api/billing/usage?granularity=day',
  '/api/billing/transactions',
  '/api/billing/requests',
  '/api/billing/payments',
  '/api/pricing',
  '/api/models',
];

const messageOf = (/** @type {string} */ topic) => ({ role: 'user', content: `Tell me about ${topic}.` });
const newTopic = () => randomBytes(6).toString('hex');

/** Calls of a site as the demo account. */
class SiteCalls {
  /** @type {{ value: string, at: number } | undefined} */
  #token;

  /** @param {Platform} platform */
  constructor(platform) {
    this.platform = platform;
  }

  /**
   * @param {string} url
   * @param {{ method?: string, headers?: Record<string, string>, json?: unknown, signal?: AbortSignal }} [options]
   * @returns {Promise<Response>} with a status below 300
   */
  async call(url, { method = 'GET', headers = {}, json, signal } = {}) {
    const response = await fetch(url, {
      method: json === undefined ? method : 'POST',
      headers: { ...headers, ...(json === undefined ? {} : { 'content-type': 'application/json' }) },
      body: json === undefined ? null : JSON.stringify(json),
      signal: signal ?? null,
    });
    if (response.ok) return response;
    const { pathname } = new URL(url);
    throw new Error(
      `${pathname.split('/').slice(0, 4).join('/')} ${response.status}: ${await response.text()}`,
    );
  }

  /** @param {string} route @param {unknown} json @param {AbortSignal} [signal] */
  gateway(route, json, signal) {
    const { urls, accounts } = this.platform;
    const headers = { authorization: `Bearer ${accounts.demo.apiKey}` };
    return this.call(`${urls.gateway}/v1/${route}`, { headers, json, ...(signal && { signal }) });
  }

  /** @param {string} route @param {{ method?: string, json?: unknown }} [options] */
  agent(route, options) {
    const { urls, accounts } = this.platform;
    const headers = { authorization: `Bearer ${accounts.demo.apiKey}` };
    return this.call(`${urls.agent}/v1/agents/sessions/${route}`, { headers, ...options });
  }

  /** @param {string} route @param {{ method?: string, json?: unknown }} [options] */
  async memo(route, options) {
    const { urls, memo } = this.platform;
    return this.call(`${urls.memo}/v1/workspaces/${memo.workspaceId}/${route}`, {
      headers: await this.session(),
      ...options,
    });
  }

  /** @param {string} route @param {{ method?: string, json?: unknown }} [options] */
  async console(route, options) {
    return this.call(this.platform.urls.console + route, { headers: await this.session(), ...options });
  }

  async session() {
    if (!this.#token || Date.now() - this.#token.at > TOKEN_LIFE_MS)
      this.#token = { value: await this.signIn(), at: Date.now() };
    return { authorization: `Bearer ${this.#token.value}` };
  }

  async signIn() {
    const { urls, accounts } = this.platform;
    const { identifier, password } = accounts.demo;
    const body = await jsonOf(
      this.call(`${urls.console}/api/auth/login`, { json: { identifier, password } }),
    );
    return String(body.token);
  }
}

/** @param {Promise<Response>} response @returns {Promise<any>} its body */
const jsonOf = async (response) => (await response).json();

/** @param {Response} response @param {string} end the last part of a complete stream */
async function readStream(response, end) {
  const text = await response.text();
  if (!text.includes(end)) throw new Error(`A stream ended without ${end}: …${text.slice(-200)}`);
}

/** @type {Client[]} */
const CLIENTS = [
  {
    does: 'plain chat',
    pauseMs: 50,
    act: async (site) => {
      const body = { model: 'sandbox-chat', max_tokens: 16, messages: [messageOf(newTopic())] };
      await jsonOf(site.gateway('chat/completions', body));
    },
  },
  {
    does: 'streamed chat',
    pauseMs: 50,
    act: async (site) => {
      const body = { model: 'sandbox-chat', max_tokens: 32, stream: true, messages: [messageOf(newTopic())] };
      await readStream(await site.gateway('chat/completions', body), '[DONE]');
    },
  },
  {
    does: 'chat that its client leaves',
    pauseMs: 200,
    act: async (site) => {
      const body = {
        model: 'sandbox-chat',
        max_tokens: 200,
        stream: true,
        messages: [messageOf(newTopic())],
      };
      const control = new AbortController();
      const response = await site.gateway('chat/completions', body, control.signal);
      await response.body?.getReader().read();
      control.abort();
    },
  },
  {
    does: 'embeddings',
    pauseMs: 200,
    act: async (site) => {
      await jsonOf(site.gateway('embeddings', { model: 'sandbox-embed', input: newTopic() }));
    },
  },
  {
    does: 'agent session',
    pauseMs: 200,
    act: async (site) => {
      const session = `memory-${newTopic()}`;
      for (let turn = 0; turn < 3; turn += 1)
        await readStream(
          await site.agent(`${session}/events/stream`, { json: messageOf(newTopic()) }),
          'turn.completed',
        );
      await jsonOf(site.agent(`${session}/events`));
      await site.agent(session, { method: 'DELETE' });
    },
  },
  {
    does: 'question to a workspace',
    pauseMs: 300,
    act: async (site) => {
      const query = 'How much credit does the demo account begin with?';
      await readStream(await site.memo('chat', { json: { query } }), 'Citations:');
    },
  },
  {
    does: 'document',
    pauseMs: 1_000,
    act: async (site) => {
      const topic = newTopic();
      const text = `The colour of ${topic} is blue. `.repeat(50);
      const { id } = await jsonOf(site.memo('documents', { json: { title: topic, text } }));
      for (let status = ''; status !== 'ready';) {
        ({ status } = await jsonOf(site.memo(`documents/${id}`)));
        if (status === 'failed') throw new Error('A document failed.');
        await new Promise((resolve) => setTimeout(resolve, DOCUMENT_POLL_MS));
      }
      await site.memo(`documents/${id}`, { method: 'DELETE' });
    },
  },
  {
    does: 'pages of the console',
    pauseMs: 500,
    act: async (site) => {
      for (const page of PAGES_OF_THE_CONSOLE) await jsonOf(site.console(page));
    },
  },
  {
    does: 'API key',
    pauseMs: 2_000,
    act: async (site) => {
      const { id } = await jsonOf(site.console('/api/api-keys', { json: { name: newTopic() } }));
      await site.console(`/api/api-keys/${id}`, { method: 'DELETE' });
    },
  },
  {
    does: 'cost report',
    pauseMs: 500,
    act: async (site) => {
      const { urls, accounts } = site.platform;
      const headers = { authorization: `Bearer ${accounts.demo.apiKey}` };
      const url = `${urls.routerCost}/v1/router/cost?group_by=model,entrypoint`;
      await jsonOf(site.call(url, { headers }));
    },
  },
  { does: 'sign-in', pauseMs: 30_000, act: (site) => site.signIn() },
  {
    does: 'top-up',
    pauseMs: 30_000,
    act: async (site) => {
      const json = { provider: 'card_provider', amount: 50 };
      const { checkout } = await jsonOf(site.console('/api/billing/payments', { json }));
      const order = new URL(String(checkout.url)).pathname.split('/').pop();
      await site.call(`${site.platform.sandbox.payments}/orders/${order}/pay`, { method: 'POST' });
    },
  },
];

export class MixedLoad {
  /** Repetitions by what the client does. @type {Map<string, number>} */
  done = new Map(CLIENTS.map(({ does }) => [does, 0]));
  /** Counts of failures by what the client does and the message. @type {Map<string, number>} */
  failures = new Map();
  #isRunning = true;
  /** @type {Promise<void>[]} */
  #loops;

  /** @param {Platform} platform */
  constructor(platform) {
    const site = new SiteCalls(platform);
    this.#loops = CLIENTS.map((client) => this.#repeat(client, site));
  }

  async stop() {
    this.#isRunning = false;
    await Promise.all(this.#loops);
  }

  /** @param {Client} client @param {SiteCalls} site */
  async #repeat({ does, pauseMs, act }, site) {
    while (this.#isRunning) {
      try {
        await act(site);
        this.done.set(does, (this.done.get(does) ?? 0) + 1);
      } catch (error) {
        const failure = `${does}: ${/** @type {Error} */ (error).message.slice(0, 300)}`;
        this.failures.set(failure, (this.failures.get(failure) ?? 0) + 1);
      }
      // A long pause is cut so that the load can end.
      for (const end = Date.now() + pauseMs; this.#isRunning && Date.now() < end;)
        await new Promise((resolve) => setTimeout(resolve, Math.min(pauseMs, 500)));
    }
  }
}
