import { setTimeout as sleep } from 'node:timers/promises';
import { ScriptedModel, waitForLock } from '@inference/testing';
import { chat, type ReadAnswer, readCitations } from '../chat-client.fixture';
import {
  type CitationResponse,
  type ConversationMessagesResponse,
  type MessageResponse,
} from '../conversations/conversation.dto';
import { MemoSite, type Person } from '../../memo.fixture';
import { ChangingDocuments, type Edition } from './changing-documents.fixture';
import { collapseWhitespace } from '../sentences/sentence-segmentation';

const MODEL = 'scripted';
const ANSWERS = 1_000;
const AT_ONCE = 16;
const QUESTIONS_OF_A_CONVERSATION = 4;
/** The places whose documents each of the concurrent tasks changes. */
const CHANGED = [
  [0, 1, 2, 3, 4, 5, 6, 7],
  [8, 9, 10, 11, 12, 13, 14, 15],
  [16, 17, 18, 19, 20, 21, 22, 23],
];

interface Answered {
  question: string;
  /** The answer was written between these times. */
  from: number;
  to: number;
  answer: ReadAnswer;
  kept: MessageResponse;
}

let model: ScriptedModel;
let site: MemoSite;
let owner: Person;
let workspace: string;
let documents: ChangingDocuments;
/** When the model finished the answer to each question. */
const finishedAt = new Map<string, number>();
const askers: Person[] = [];
let asked = 0;

beforeAll(async () => {
  model = await ScriptedModel.start();
  site = await MemoSite.start({
    models: [MODEL],
    upstreams: [{ name: 'scripted', base_url: model.url, models: [MODEL] }],
    environment: { CHAT_MODEL: MODEL },
  });
  site.startIngestion();
  site.startIngestion();
  owner = await site.person();
  askers.push(owner, owner.at((await site.startReplica({ CHAT_MODEL: '' })).url));
  workspace = await owner.newWorkspace();
  documents = new ChangingDocuments(owner, workspace, site.pool);
  await documents.fill(CHANGED.flat());
  // Documents with the same words in another workspace of the same account.
  await new ChangingDocuments(owner, await owner.newWorkspace('Other'), site.pool).fill(CHANGED[0]!);
  letModelCite();
});

afterAll(async () => {
  await site?.stop();
  model?.close();
});

/** The model cites every passage of its prompt and some that do not exist, and takes up to 24 ms. */
function letModelCite(): void {
  model.says(async (answer, { messages }) => {
    const told = messages.at(-1)!.content!;
    const passages = told.match(/ number="\d+">/g)!.length;
    const question = told.slice(told.lastIndexOf('Question: ') + 'Question: '.length);
    const cited = Array.from({ length: passages }, (_, index) => ` [${index + 1}]`);
    answer.delta({ content: `Some days${cited.join('')}` });
    await sleep(finishedAt.size % 25);
    answer.delta({ content: ` or 【${passages + 1}】 none [${passages + 7}, 99].\n  As [1] says.` });
    finishedAt.set(question, performance.now());
    answer.finish('stop');
  });
}

/** All questions differ. */
function nextQuestion(): { question: string; k: number; asker: Person } {
  const n = (asked += 1);
  const place = (n * 7) % CHANGED.flat().length;
  const rest = { k: 1 + (n % 8), asker: askers[(n >> 3) % askers.length]! };
  if (n % 5 === 4) return { question: `包裹${place}的退款几天内完成？(${n})`, ...rest };
  if (n % 5 === 3) return { question: `How often does the courier of parcel ${place} ring? (${n})`, ...rest };
  return { question: `Within how many days are refunds for parcel ${place} issued? (${n})`, ...rest };
}

async function askOne(conversationId: string | undefined): Promise<Answered> {
  const { question, k, asker } = nextQuestion();
  const askedAt = performance.now();
  const answer = await chat(asker, workspace, {
    query: question,
    k,
    ...(conversationId && { conversation_id: conversationId }),
  });
  const to = performance.now();
  const { messages } = await owner.json<ConversationMessagesResponse>(
    'GET',
    `/${workspace}/conversations/${answer.conversationId}`,
  );
  const [request, kept] = messages.slice(-2);
  expect([request!.content, kept!.status, kept!.content]).toEqual([question, 'completed', answer.text]);
  return { question, from: finishedAt.get(question) ?? askedAt, to, answer, kept: kept! };
}

/** Asks that many questions, half of them at each replica, several per conversation. */
async function ask(count: number): Promise<Answered[]> {
  const answered: Answered[] = [];
  const last = asked + count;
  const askOn = async () => {
    let conversation: string | undefined;
    for (let turn = 1; asked < last; turn++) {
      const one = await askOne(conversation);
      conversation = turn % QUESTIONS_OF_A_CONVERSATION === 0 ? undefined : one.answer.conversationId;
      answered.push(one);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, askOn));
  return answered;
}

const wasServed = ({ sentAt, goneBy }: Edition, { from, to }: Answered) =>
  sentAt <= to && (goneBy === undefined || goneBy >= from);

/** Errors in the stored citations, and sent citations that are not stored. */
function faultsOf(one: Answered): string[] {
  const sent = readCitations(one.answer.citations);
  const kept = new Map(one.kept.citations.map((citation) => [citation.number, citation]));
  const strays = [...kept.keys()].filter((number) => !sent.some((citation) => citation.number === number));
  return [
    ...strays.map((number) => `[${number}] was not sent`),
    ...sent.flatMap(({ number, documentId, chunkIndex, snippet, title }) => {
      const citation = kept.get(number);
      if (!citation) {
        if (!documents.isDeleted(documentId)) return [`[${number}] was not kept`];
        const editions = documents.editionsOf(documentId).filter((edition) => wasServed(edition, one));
        const isThere = editions.some(({ text }) => collapseWhitespace(text).includes(snippet));
        return isThere ? [] : [`[${number}] was nowhere`];
      }
      const isSame =
        citation.document_id === documentId &&
        citation.chunk_index === chunkIndex &&
        citation.snippet === snippet &&
        collapseWhitespace(citation.title).replaceAll('"', "'") === title;
      return [...(isSame ? [] : [`[${number}] was kept as another one`]), ...faultsOfSlice(citation, one)];
    }),
  ];
}

function faultsOfSlice(
  { number, document_id: id, version, start, end, snippet }: CitationResponse,
  one: Answered,
) {
  const edition = documents.edition(id, version);
  if (!edition) return [`[${number}] is of no document of this workspace`];
  const slice = edition.text.slice(start, end);
  const isSlice = slice !== '' && slice === slice.trim() && collapseWhitespace(slice) === snippet;
  return [
    ...(isSlice ? [] : [`[${number}] is no slice: ${JSON.stringify(snippet)}`]),
    ...(wasServed(edition, one) ? [] : [`[${number}] was not served then`]),
  ];
}

const faultsIn = (answered: Answered[]) =>
  answered.flatMap((one) => faultsOf(one).map((fault) => `${one.question}: ${fault}`));

/** Passages that the answer cites in its text but not in its citations line. */
function droppedOf({ answer }: Answered): number {
  const marked = new Set([...answer.text.matchAll(/\[(\d+)\]/g)].map(([, number]) => Number(number)));
  const cited = readCitations(answer.citations).map(({ number }) => number);
  expect(cited).toEqual([...marked].filter((number) => cited.includes(number)).sort((a, b) => a - b));
  return marked.size - cited.length;
}

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);

it('cites only served versions, word for word, while documents change', async () => {
  let isAsking = true;
  const changing = CHANGED.map((places) => documents.changeWhile(() => isAsking, places));
  const answered = await ask(ANSWERS).finally(() => (isAsking = false));
  await Promise.all(changing);

  expect(faultsIn(answered)).toEqual([]);
  const citations = sum(answered.map(({ answer }) => readCitations(answer.citations).length));
  const { replaced, deleted } = documents;
  const dropped = sum(answered.map(droppedOf));
  const figures = {
    answers: answered.length,
    written: finishedAt.size,
    citations,
    replaced,
    deleted,
    dropped,
  };
  console.info(Object.entries(figures).flat().join(' '));
  expect(answered).toHaveLength(ANSWERS);
  expect(citations).toBeGreaterThan(ANSWERS);
  expect(Math.min(replaced, deleted)).toBeGreaterThan(CHANGED.length);
});

it('cites every passage that an answer names after the documents stop changing', async () => {
  const answered = await ask(AT_ONCE * 2);
  expect(faultsIn(answered)).toEqual([]);
  expect(sum(answered.map(droppedOf))).toBe(0);
});

it('sends the citation of a document before its deletion is confirmed', async () => {
  await documents.fill([99]);
  const query = 'Within how many days are refunds for parcel 99 issued?';
  const id = readCitations((await chat(owner, workspace, { query, k: 1 })).citations)[0]!.documentId;
  let isDeleted = false;
  const holder = await site.pool.connect();
  const deleteIt = async () => {
    await owner.json('DELETE', `/${workspace}/documents/${id}`, undefined, 204);
    isDeleted = true;
  };
  // Storing an answer blocks after its documents were confirmed.
  await holder.query('BEGIN; LOCK TABLE memo.messages IN SHARE MODE');
  const answer = chat(owner, workspace, { query, k: 1 });
  let deletion: Promise<void> | undefined;
  try {
    await waitForLock(site.pool);
    deletion = deleteIt();
    await Promise.race([deletion, waitForLock(site.pool, 2)]);
    expect(isDeleted).toBe(false);
  } finally {
    await holder.query('COMMIT');
    holder.release();
    await deletion;
  }
  expect(readCitations((await answer).citations)).toMatchObject([{ documentId: id }]);
  expect((await chat(owner, workspace, { query, k: 1 })).citations).not.toContain(id);
});
