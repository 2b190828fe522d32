import { type Caller } from '@inference/guards';
import { Injectable, Logger } from '@nestjs/common';
import { type Request, type Response } from 'express';
import { parsed } from '../../upstreams/answer-json';
import { withFields } from '../../proxy/upstream-body';
import { decodedBody } from '../../upstreams/answer-headers';
import { choose, isCandidate } from '../../upstreams/choice/chooser';
import { seedOf } from '../../upstreams/choice/prefix-hash';
import { ServingDirectory } from '../../upstreams/directory.service';
import { type Upstream, type UpstreamOfModel } from '../../upstreams/upstream';
import { Cancellation, type UpstreamCall } from '../../upstreams/upstream-call';
import { type Fields } from '../fields';
import { membersOf } from '../json';
import { NATIVE_MESSAGES } from './messages-native';

/** How long a client waits for the count of a server before it gets the estimate. Chosen: servers count within tens of milliseconds. */
const PATIENCE_MILLIS = 3_000;
/** Counts of an account that run at servers at once; the others are estimated. They are free, and must not take the servers' own limits from calls. */
const MOST_AT_ONCE = 4;
/** How long a server is not asked again that has no such endpoint. */
const LACKING_MILLIS = 10 * 60_000;
const MISSING_ENDPOINT = new Set([404, 405, 501]);
const MOST_BYTES = 64 * 1024;

/** Lets servers that speak Messages count the tokens of a conversation. A failure says nothing of their calls of models. */
@Injectable()
export class TokenCounts {
  private readonly logger = new Logger(TokenCounts.name);
  private readonly running = new Map<string, number>();
  /** Servers without the endpoint, and until when they are not asked. */
  private readonly lacking = new WeakMap<Upstream, number>();

  constructor(private readonly directory: ServingDirectory) {}

  /**
   * The count of a server of the model; null if none speaks Messages, or none gives one in time.
   * @param model its slug
   * @param request whose body can be read
   */
  async countOf(model: string, request: Request, response: Response, caller: Caller): Promise<number | null> {
    const catalogue = await this.directory.current();
    const now = performance.now();
    const { accountId } = caller;
    const running = this.running.get(accountId) ?? 0;
    const servers = catalogue
      .candidatesOf(model)
      .filter(({ upstream }) => upstream.speaks('messages') && !(this.lacking.get(upstream)! > now));
    const target = choose(servers, seedOf(request.id!), now);
    if (!isCandidate(target) || running >= MOST_AT_ONCE) return null;
    this.running.set(accountId, running + 1);
    try {
      return await this.ask(target, request, response);
    } catch (error) {
      this.logger.warn(
        `Upstream ${target.upstream.name} did not count the tokens of a prompt: ${String(error)}`,
      );
      return null;
    } finally {
      const left = this.running.get(accountId)! - 1;
      if (left === 0) this.running.delete(accountId);
      else this.running.set(accountId, left);
    }
  }

  private async ask({ upstream, name }: UpstreamOfModel, request: Request, response: Response) {
    const { fields, headersOf } = NATIVE_MESSAGES;
    const raw = request.body as Buffer;
    const body = withFields({ raw, members: await membersOf(raw, fields) }, { model: name });
    const cancellation = new Cancellation();
    const cancel = () => cancellation.abort();
    const timer = setTimeout(cancel, PATIENCE_MILLIS);
    response.once('close', cancel);
    try {
      const call = upstream.post(
        upstream.credential(),
        'messages/count_tokens',
        body,
        request.id!,
        cancellation,
        () => undefined,
        undefined,
        headersOf(request),
      );
      const { status, headers } = await call.head;
      const answer = await beginningOf(call, headers['content-encoding']);
      if (MISSING_ENDPOINT.has(status)) this.lacking.set(upstream, performance.now() + LACKING_MILLIS);
      const count = (parsed(answer) as Fields | null)?.input_tokens;
      if (status === 200 && Number.isSafeInteger(count) && (count as number) >= 0) return count as number;
      throw new Error(`status ${status}`);
    } finally {
      clearTimeout(timer);
      response.off('close', cancel);
    }
  }
}

/** Rejects if the body is longer than that of a count, or of an error. */
async function beginningOf(call: UpstreamCall, coding: string | string[] | undefined): Promise<Buffer> {
  const body = await decodedBody(call, coding);
  const chunks: Buffer[] = [];
  let length = 0;
  for (let chunk = await body.next(); !chunk.done; chunk = await body.next()) {
    chunks.push(chunk.value);
    length += chunk.value.length;
    if (length > MOST_BYTES) {
      call.abort();
      throw new Error('the answer is too long');
    }
  }
  return Buffer.concat(chunks);
}
