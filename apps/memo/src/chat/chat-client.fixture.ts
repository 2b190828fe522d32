import { ScriptedModel } from '@inference/testing';
import { createParser } from 'eventsource-parser';
import { type ConversationMessagesResponse } from './conversations/conversation.dto';
import { MemoSite, type Person } from '../memo.fixture';

export const MODEL = 'scripted';
export const QUESTION = 'Within how many days are refunds issued?';
export const POLICY = {
  title: 'Refund policy',
  text: 'Shipping is free for orders above thirty euros.\n\nRefunds are issued within five days of the return.',
};

/** A workspace with one document, and a model whose answers the test determines. */
export class ChatSite {
  private constructor(
    readonly site: MemoSite,
    readonly model: ScriptedModel,
    readonly owner: Person,
    readonly workspace: string,
    readonly documentId: string,
  ) {}

  static async start(): Promise<ChatSite> {
    const model = await ScriptedModel.start();
    const site = await MemoSite.start({
      models: [MODEL],
      upstreams: [{ name: 'scripted', base_url: model.url, models: [MODEL] }],
      environment: { CHAT_MODEL: MODEL, HEARTBEAT_SECONDS: '0.1' },
    });
    site.startIngestion();
    const owner = await site.person();
    const workspace = await owner.newWorkspace();
    return new ChatSite(site, model, owner, workspace, (await owner.addDocument(workspace, POLICY)).id);
  }

  /** Lets the model answer in these pieces. */
  says(...pieces: string[]): void {
    this.model.says((answer) => {
      for (const content of pieces) answer.delta({ content });
      answer.finish('stop');
    });
  }

  ask(body: object = {}, person = this.owner): Promise<ReadAnswer> {
    return chat(person, this.workspace, { query: QUESTION, ...body });
  }

  refused(body: unknown, person = this.owner): Promise<[number, string]> {
    return person.refusal('POST', `/${this.workspace}/chat`, body);
  }

  conversation(id: string, person = this.owner): Promise<ConversationMessagesResponse> {
    return person.json('GET', `/${this.workspace}/conversations/${id}`);
  }

  async stop(): Promise<void> {
    await this.site.stop();
    this.model.close();
  }
}

/** An answer as a client reads it from the stream. */
export interface ReadAnswer {
  conversationId: string;
  text: string;
  /** The citations line; undefined if the stream ended without it. */
  citations: string | undefined;
  error: { error: string; code: string; retryable: boolean } | undefined;
  /** The raw stream. */
  raw: string;
}

interface ReadCitation {
  number: number;
  title: string;
  documentId: string;
  chunkIndex: number;
  snippet: string;
}

const CITATION = /\[(\d+)\] "([^"]*)" \((doc_\w+)#(\d+)\): "([^"]*)"/g;

/** Asks a question and reads the stream to its end. */
export async function chat(person: Person, workspaceId: string, body: object): Promise<ReadAnswer> {
  const response = await person.call('POST', `/${workspaceId}/chat`, body);
  const raw = await response.text();
  if (response.status !== 200) throw new Error(`${response.status} ${raw}`);
  return { conversationId: response.headers.get('X-Conversation-Id')!, ...readEvents(raw), raw };
}

export function readEvents(raw: string): Pick<ReadAnswer, 'text' | 'citations' | 'error'> {
  const events: { event: string | undefined; data: string }[] = [];
  const parser = createParser({ onEvent: ({ event, data }) => events.push({ event, data }) });
  parser.feed(raw);
  const failure = events.find(({ event }) => event === 'error');
  const lines = events.filter(({ event }) => event === undefined).map(({ data }) => data);
  const citations = lines.at(-1)?.startsWith('Citations: ') ? lines.pop() : undefined;
  return {
    text: lines.join(''),
    citations,
    error: failure && (JSON.parse(failure.data) as ReadAnswer['error']),
  };
}

/** Parses a citations line; throws if it is malformed. */
export function readCitations(line: string | undefined): ReadCitation[] {
  if (line === 'Citations: none') return [];
  const found = [...line!.matchAll(CITATION)];
  if (`Citations: ${found.map(([whole]) => whole).join(' ')}` !== line)
    throw new Error(`unreadable: ${line}`);
  return found.map(([, number, title, documentId, chunkIndex, snippet]) => ({
    number: Number(number),
    title: title!,
    documentId: documentId!,
    chunkIndex: Number(chunkIndex),
    snippet: snippet!,
  }));
}
