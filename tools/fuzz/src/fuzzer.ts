import fc from 'fast-check';
import { type Dispatcher } from 'undici';
import { type Answer, answerOf, connections, jsonOf } from './answers';
import { AnswerCheck } from './answer-check';
import { callerOf, Credentials, type Presentation } from './site/credentials';
import { Findings } from './findings';
import { KNOWN_PATHS, knownFieldsFor, withOwnModels } from './known/known-fields';
import { KnownIds } from './known/known-ids';
import { KnownPaths } from './known/known-paths';
import { readOperations } from './site/operations';
import { type Platform } from './site/platform';
import { type DocumentedOperation, type FuzzRequest, requestsTo } from './requests/requests';
import { SiteState } from './site/site-state';

export interface FuzzOptions {
  requests: number;
  /** The same seed sends the same requests, as far as ids that the platform makes do not differ. */
  seed: number;
  onProgress?(findings: Findings): void;
}

/** They end sessions of the account that calls them, so they come after all others of a round. */
const ENDING_SESSIONS = new Set(['console logout', 'console changePassword']);
/** Paths whose POST takes away or spoils what they name. What the site was started with it would need afterwards. */
const CHANGES_ORIGIN = /\/(suspend|drain|rotate|credentials|disable)$/;
const PAYING = 'console createPayment';
const CONCURRENCY = 8;
/** In one round. More would let the site differ from its state at the start for longer, fewer would restore it too often. */
const REQUESTS_PER_OPERATION = 10;

/** Sends requests that are derived from the API documents, and compares each answer with them. */
export class Fuzzer {
  readonly findings = new Findings();
  private readonly checks = new Map<string, AnswerCheck>();
  private readonly ids = new KnownIds();
  private paths = new KnownPaths([]);
  private readonly credentials: Credentials;
  private readonly state: SiteState;
  private readonly dispatcher: Dispatcher = connections(CONCURRENCY);

  constructor(private readonly platform: Platform) {
    this.credentials = new Credentials(platform);
    this.state = new SiteState(platform, this.credentials);
    this.ids.learn(platform);
  }

  async run({ requests, seed, onProgress }: FuzzOptions): Promise<Findings> {
    const operations = await readOperations(this.platform);
    this.prepare(operations);
    await this.state.read();
    const sources = operations.map((target, index) => {
      const share = sharesOf(requests, operations.length)(index);
      const known = knownFieldsFor(this.platform, target.name);
      return { target, index, share, arbitrary: requestsTo(target, known) };
    });
    // What the start took does not count.
    this.takeStalls();
    const rounds = Math.ceil(requests / operations.length / REQUESTS_PER_OPERATION);
    for (let round = 0; round < rounds; round++) {
      await this.state.restore();
      this.learnKnownPaths(operations);
      const sample = ({ index, share, arbitrary }: (typeof sources)[number]) => {
        // Distinct for every seed, operation and round.
        const sampleSeed = (seed * 1_000_003 + index * 10_007 + round) | 0;
        return fc.sample(arbitrary, { numRuns: sharesOf(share, rounds)(round), seed: sampleSeed });
      };
      const isEnding = ({ target }: (typeof sources)[number]) => ENDING_SESSIONS.has(target.name);
      await this.sendAll(sources.filter((source) => !isEnding(source)).flatMap(sample), false);
      await this.sendAll(sources.filter(isEnding).flatMap(sample), true);
      for (const [service, millis] of this.takeStalls()) this.findings.countStalls(service, millis);
      onProgress?.(this.findings);
    }
    await this.dispatcher.close();
    return this.findings;
  }

  private takeStalls(): [service: string, millis: number[]][] {
    return [...this.checks.keys()].map((service) => [service, this.platform.stalls.takeStalls(service)]);
  }

  private prepare(operations: DocumentedOperation[]): void {
    const names = new Set(operations.map(({ name }) => name));
    for (const name of [...ENDING_SESSIONS, PAYING])
      if (!names.has(name)) throw new Error(`No operation is called ${name}.`);
    for (const { service, document } of operations)
      if (!this.checks.has(service)) this.checks.set(service, new AnswerCheck(document));
    this.paths = new KnownPaths(operations);
  }

  private learnKnownPaths(operations: DocumentedOperation[]): void {
    for (const { service, path: pattern } of operations)
      for (const path of KNOWN_PATHS[pattern] ?? []) this.paths.learnLink(service, path);
  }

  private async sendAll(requests: FuzzRequest[], isEndingSessions: boolean): Promise<void> {
    const queue = requests.values();
    const work = async () => {
      for (const request of queue) await this.examine(request, isEndingSessions);
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
  }

  private async examine(request: FuzzRequest, isEndingSessions: boolean): Promise<void> {
    const { target } = request;
    const path = this.pathOf(request);
    // A link has a query of its own.
    const sent = { ...request, path, ...(path.includes('?') && { query: '' }) };
    try {
      let presentation = await this.credentials.presentationOf(sent);
      let answer = await this.send(sent, presentation);
      if (answer.status === 401 && request.presented === 'right') {
        // A request before may have ended the session.
        await this.credentials.replace(request, presentation);
        presentation = await this.credentials.presentationOf(sent);
        answer = await this.send(sent, presentation);
      }
      this.findings.count(sent, answer);
      for (const fault of this.checks.get(target.service)!.faultsOf(request, answer, isEndingSessions))
        this.findings.add(sent, `${answer.status}: ${fault}`);
      await this.learn(sent, answer);
    } catch (error) {
      this.findings.add(sent, `no answer: ${(error as Error).message}`);
    }
  }

  private async send(request: FuzzRequest, presentation: Presentation): Promise<Answer> {
    const { target, path, query, headers, body } = request;
    return answerOf(withQuery(target.origin + path + query, presentation.query), {
      method: target.method as 'GET',
      headers: { ...headers, ...presentation.headers },
      ...(body !== undefined && { body: this.bodyOf(request, body) }),
      dispatcher: this.dispatcher,
    });
  }

  /** Exemplary requests name what exists, and half of the others, so that they reach further than to a 404. */
  private usesKnown({ isExemplary, isPathSound, choice }: FuzzRequest): boolean {
    return isPathSound && (isExemplary ? choice % 8 > 0 : choice % 2 > 0);
  }

  private pathOf(request: FuzzRequest): string {
    if (!this.usesKnown(request)) return request.path;
    const { target, path, choice } = request;
    // What the site was started with is read, but stays as it is.
    const isKept = /^(PUT|PATCH|DELETE)$/.test(target.method) || CHANGES_ORIGIN.test(target.path);
    const isExcluded = (name: string) => isKept && this.state.isOrigin(name);
    const index = Math.floor(choice / 8);
    return this.paths.replaceIn(target, this.ids.replaceIn(path, index, isExcluded), index, isExcluded);
  }

  private bodyOf(request: FuzzRequest, body: string): string {
    const own = withOwnModels(request.target.path, body);
    return this.usesKnown(request)
      ? this.ids.replaceIn(own, Math.floor(request.choice / 8), () => false)
      : own;
  }

  private async learn(request: FuzzRequest, answer: Answer): Promise<void> {
    const { target, path, isPathSound, isExemplary } = request;
    if (!isPathSound) return;
    const isDeleted = answer.status < 300 && target.method === 'DELETE';
    // Something is not there, or is no longer in the state that the operation needs.
    const isUseless = isExemplary && (answer.status === 404 || answer.status === 409);
    if (isDeleted || isUseless) this.paths.forget(target, path);
    if (isDeleted || answer.status >= 400) return;
    const body = jsonOf(answer);
    this.ids.learn(body);
    // What another account owns would be a 404 for the exemplary requests.
    if (callerOf(request) !== callerOf({ ...request, isExemplary: true })) return;
    this.paths.learn(target, path, body);
    const { location } = answer.headers;
    if (typeof location === 'string' && location.startsWith(target.origin))
      this.paths.learnLink(target.service, location.slice(target.origin.length));
    if (target.name === PAYING && isExemplary) await this.state.pay((body as { id: string }).id);
  }
}

/** Divides a number of requests into parts that differ by one at most. */
const sharesOf = (requests: number, parts: number) => (index: number) =>
  Math.floor(((index + 1) * requests) / parts) - Math.floor((index * requests) / parts);

function withQuery(url: string, query: string | undefined): string {
  if (query === undefined) return url;
  return `${url}${url.includes('?') ? '&' : '?'}${query}`;
}
