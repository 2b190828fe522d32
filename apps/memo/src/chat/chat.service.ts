import { setTimeout as sleep } from 'node:timers/promises';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type MessageEvent,
  type OnModuleDestroy,
} from '@nestjs/common';
import { newId } from '@inference/database';
import { Suspensions } from '@inference/guards';
import { Metrics } from '@inference/http';
import { GatewayClient } from '@inference/model-calls';
import { type Response } from 'express';
import { Gauge } from 'prom-client';
import { type Observable } from 'rxjs';
import { type Member } from '../access/member';
import { type Exchange } from './answers/prompt-messages';
import { ConversationLog } from './conversations/conversation-log';
import { type SearchOutcome, type SearchQuery } from '../retrieval/search/passage';
import { SearchService } from '../retrieval/search/search.service';
import { serviceStopping } from '../shutdown/service-stopping';
import { AnswerGeneration, type ChatQuestion } from './answer-generation';
import { CHAT_CONFIG, type ChatConfig } from './chat.config';
import { type ChatDto } from './conversations/conversation.dto';

const CONVERSATION_HEADER = 'X-Conversation-Id';
/**
 * How many earlier questions are added to a follow-up question that finds nothing by itself. Each one costs another
 * search, and with vector search a model call; with one, the second question in a row without content words finds nothing.
 */
const MAX_FOLLOW_UP_QUESTIONS = 2;

/** Answers questions from the documents of a workspace. */
@Injectable()
export class ChatService implements OnModuleDestroy, BeforeApplicationShutdown {
  private readonly running = new Set<AnswerGeneration>();
  private readonly gauge: Gauge;
  private drained: Promise<void> | undefined;

  constructor(
    @Inject(CHAT_CONFIG) private readonly config: ChatConfig,
    private readonly searches: SearchService,
    private readonly models: GatewayClient,
    private readonly log: ConversationLog,
    private readonly suspensions: Suspensions,
    metrics: Metrics,
  ) {
    this.gauge = new Gauge({
      name: 'memo_running_answers',
      help: 'Answers that are being written in this process.',
      registers: [metrics.registry],
    });
  }

  /** Throws every error that can be an HTTP status. The returned stream has started. */
  async answer(member: Member, body: ChatDto, response: Response): Promise<Observable<MessageEvent>> {
    if (this.drained) throw serviceStopping();
    const question = await this.prepare(member, body);
    // The search may have taken until the shutdown.
    if (this.drained) throw serviceStopping();
    const generation = new AnswerGeneration(question, this.config, this.models, this.log, response);
    this.track(generation);
    // The reader may have left during the search; then nothing would end the watch.
    if (!response.closed)
      response.once(
        'close',
        this.suspensions.watch(member, () => generation.shutOut()),
      );
    await generation.start();
    response.setHeader(CONVERSATION_HEADER, question.conversation.id);
    return generation.stream.events();
  }

  /** Refuses further questions. Must return at once: Nest calls it module by module. */
  onModuleDestroy(): void {
    this.drained ??= this.drain();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.drained;
  }

  /** Waits for the answers under way; after the grace period, ends the others with an error event. */
  private async drain(): Promise<void> {
    const allEnded = () => Promise.all([...this.running].map(({ ended }) => ended));
    const graceAbort = new AbortController();
    const gracePeriod = sleep(this.config.shutdownGraceMs, undefined, { signal: graceAbort.signal });
    await Promise.race([allEnded(), gracePeriod]);
    graceAbort.abort();
    await gracePeriod.catch(() => undefined);
    for (const generation of this.running) generation.interrupt();
    await allEnded();
  }

  private track(generation: AnswerGeneration): void {
    this.running.add(generation);
    this.gauge.set(this.running.size);
    void generation.ended.then(() => {
      this.running.delete(generation);
      this.gauge.set(this.running.size);
    });
  }

  private async prepare(
    member: Member,
    { query: text, conversation_id: id, ...asked }: ChatDto,
  ): Promise<ChatQuestion> {
    const before = id === undefined ? [] : await this.log.readExchanges(member, id);
    const found = await this.find(member, { query: text, ...asked }, before);
    const conversation = { id: id ?? newId('conv'), isNew: id === undefined };
    return { member, text, conversation, history: before, search: found };
  }

  /**
   * Searches for the question. A question without content words ("And why?") is searched again with the previous question
   * in front of it, then with the two previous ones. With a chat model, so is a question that finds nothing. Without one it
   * is not: an extractive answer could not show that it belongs to the earlier question.
   */
  private async find(member: Member, asked: SearchQuery, before: Exchange[]): Promise<SearchOutcome> {
    let { query } = asked;
    let found = await this.searches.find(member, asked);
    for (const { question } of before.toReversed().slice(0, MAX_FOLLOW_UP_QUESTIONS)) {
      if (hasOwnTerms(found, this.config.model !== undefined)) break;
      query = `${question}\n${query}`;
      const next = await this.searches.find(member, { ...asked, query });
      found = { ...next, requestIds: [...found.requestIds, ...next.requestIds] };
    }
    return found;
  }
}

/** Whether the query has content words of its own; "And why?" has none, so its words may match anything. */
const hasOwnTerms = ({ passages, relevance }: SearchOutcome, hasModel: boolean) =>
  (passages.length > 0 || !hasModel) && [...relevance.weights.values()].some((weight) => weight > 0);
