import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Inject, Injectable, type MessageEvent } from '@nestjs/common';
import { newId } from '@inference/database';
import { Metrics } from '@inference/http';
import { ModelGateway } from '@inference/model-calls';
import { type Response } from 'express';
import { Gauge } from 'prom-client';
import { type Observable } from 'rxjs';
import { type Member } from '../access/member';
import { type Exchange } from '../answers/prompt';
import { MEMO_CONFIG, type MemoConfig } from '../config';
import { ConversationLog } from '../conversations/conversation-log';
import { type Found } from '../search/passage';
import { SearchService } from '../search/search.service';
import { stoppingNow } from '../stopping';
import { Answering, type Question } from './answering';
import { type ChatBody } from './chat.dto';

const CONVERSATION = 'X-Conversation-Id';
/** So many are searched for together with the one that goes on from them; each search may cost a call. */
const QUESTIONS_BEFORE = 2;

/** Answers questions from the documents of a workspace (spec: Workspace chat). */
@Injectable()
export class ChatService implements BeforeApplicationShutdown {
  private readonly running = new Set<Answering>();
  private readonly gauge: Gauge;
  private stopping = false;

  constructor(
    @Inject(MEMO_CONFIG) private readonly config: MemoConfig,
    private readonly searches: SearchService,
    private readonly models: ModelGateway,
    private readonly log: ConversationLog,
    metrics: Metrics,
  ) {
    this.gauge = new Gauge({
      name: 'memo_running_answers',
      help: 'Answers that are being written in this process.',
      registers: [metrics.registry],
    });
  }

  /** Throws what can be refused; the stream that it returns has begun. */
  async answer(member: Member, body: ChatBody, response: Response): Promise<Observable<MessageEvent>> {
    if (this.stopping) throw stoppingNow();
    const question = await this.prepare(member, body);
    // A search may have lasted until now.
    if (this.stopping) throw stoppingNow();
    const answering = new Answering(question, this.config, this.models, this.log, response);
    this.keep(answering);
    await answering.begin();
    response.setHeader(CONVERSATION, question.conversation.id);
    return answering.stream.events();
  }

  /** Lets answers end that are under way, and after a while says to the readers of the others that they do not. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    const allEnded = () => Promise.all([...this.running].map(({ ended }) => ended));
    const grace = new AbortController();
    const patience = sleep(this.config.SHUTDOWN_GRACE_SECONDS * 1000, undefined, { signal: grace.signal });
    await Promise.race([allEnded(), patience]);
    grace.abort();
    await patience.catch(() => undefined);
    for (const answering of this.running) answering.interrupt();
    await allEnded();
  }

  private keep(answering: Answering): void {
    this.running.add(answering);
    this.gauge.set(this.running.size);
    void answering.ended.then(() => {
      this.running.delete(answering);
      this.gauge.set(this.running.size);
    });
  }

  private async prepare(
    member: Member,
    { query: text, k, conversation_id: id }: ChatBody,
  ): Promise<Question> {
    const before = id === undefined ? [] : await this.log.readExchanges(member, id);
    const found = await this.find(member, text, k, before);
    const conversation = { id: id ?? newId('conv'), isNew: id === undefined };
    return { member, text, conversation, before, found };
  }

  /**
   * What is found on a question or, where that is nothing, on it behind the one before, then behind the two before.
   * Without a model only where it says nothing by itself: nobody would see that what is quoted answers an earlier one.
   */
  private async find(member: Member, text: string, k: number, before: Exchange[]): Promise<Found> {
    let asked = text;
    let found = await this.searches.find(member, asked, k);
    for (const { question } of before.toReversed().slice(0, QUESTIONS_BEFORE)) {
      if (isTelling(found, this.config.CHAT_MODEL !== undefined)) break;
      asked = `${question}\n${asked}`;
      found = await this.searches.find(member, asked, k);
    }
    return found;
  }
}

/** Not of a question like "And why?", whose words may be found anywhere. */
const isTelling = ({ passages, asked }: Found, hasModel: boolean) =>
  (passages.length > 0 || !hasModel) && [...asked.weights.values()].some((weight) => weight > 0);
