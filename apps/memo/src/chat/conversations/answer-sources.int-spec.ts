import { waitFor } from '@inference/testing';
import { type Person } from '../../memo.fixture';
import { type SearchResponse } from '../../retrieval/search/search.dto';
import { ChatSite, QUESTION } from '../chat-client.fixture';
import { type AnswerPassagesResponse } from './conversation.dto';

/** From which passages an answer was written, and which calls of models it cost. */

let chats: ChatSite;
let owner: Person;
let workspace: string;

beforeAll(async () => {
  chats = await ChatSite.start();
  ({ owner, workspace } = chats);
});
afterAll(() => chats?.stop());

async function answered(body: object = {}): Promise<{ path: string; messageId: string }> {
  chats.says('Five days [1].');
  const { conversationId } = await chats.ask(body);
  const { messages } = await chats.conversation(conversationId);
  return {
    path: `/${workspace}/conversations/${conversationId}/messages`,
    messageId: messages.at(-1)!.id,
  };
}

const passagesOf = async ({ path, messageId }: { path: string; messageId: string }) =>
  (await owner.json<AnswerPassagesResponse>('GET', `${path}/${messageId}/passages`)).passages;

const chargedCalls = async (person: Person): Promise<string[]> => {
  const { rows } = await chats.site.pool.query<{ id: string }>(
    'SELECT request_id AS id FROM metering.usage_events WHERE account_id = $1 ORDER BY occurred_at',
    [person.accountId],
  );
  return rows.map(({ id }) => id);
};

it('are the passages of the search, with their numbers and scores', async () => {
  await owner.addDocument(workspace, { title: 'Deadlines', text: 'Days are counted from the return.' });
  const { results } = await owner.json<SearchResponse>('POST', `/${workspace}/search`, { query: QUESTION });
  expect(results.length).toBeGreaterThan(1);
  const numbered = results.map((result, index) => ({ number: index + 1, ...result }));
  expect(await passagesOf(await answered())).toEqual(numbered);
  expect(await passagesOf(await answered({ k: 1 }))).toEqual(numbered.slice(0, 1));
});

it('are no passages of a deleted document or a replaced version', async () => {
  const terms = { title: 'Refund terms', text: 'Refunds are issued within nine days.', external_id: 'terms' };
  const { id } = await owner.addDocument(workspace, terms);
  const answer = await answered();
  const documents = async () => (await passagesOf(answer)).map(({ document_id: document }) => document);
  expect(await documents()).toContain(id);
  await owner.json('DELETE', `/${workspace}/documents/${id}`, undefined, 204);
  const kept = await documents();
  expect(kept).toContain(chats.documentId);
  expect(kept).not.toContain(id);
});

it('is the call of the model, for a member who asks', async () => {
  const asker = await chats.site.person();
  await owner.addMember(workspace, asker, 'viewer');
  chats.says('Five days [1].');
  const { conversationId } = await chats.ask({}, asker);
  const { messages } = await chats.conversation(conversationId, asker);
  const [call] = await chargedCalls(asker);
  expect(call).toMatch(/^req_/);
  expect(messages.map(({ request_ids: ids }) => ids)).toEqual([[], [call]]);
});

it('is the call of an answer that broke off', async () => {
  const asker = await chats.site.person();
  await owner.addMember(workspace, asker, 'viewer');
  chats.model.says((answer) => {
    answer.delta({ content: 'Five days [1]. And' });
    setTimeout(() => answer.breakOff(), 50);
  });
  const { conversationId } = await chats.ask({}, asker);
  const { messages } = await chats.conversation(conversationId, asker);
  await waitFor(async () => (await chargedCalls(asker)).length === 1);
  expect(messages[1]).toMatchObject({ status: 'failed', request_ids: await chargedCalls(asker) });
});

it('is no call if no model was asked', async () => {
  const { conversationId } = await chats.ask({ query: 'Zebra xylophone?' });
  const { messages } = await chats.conversation(conversationId);
  expect(messages.map(({ request_ids: ids }) => ids)).toEqual([[], []]);
});

it('shows passages only of messages of the caller', async () => {
  const { path, messageId } = await answered();
  const [question] = (await chats.conversation(path.split('/')[3]!)).messages;
  expect(await passagesOf({ path, messageId: question!.id })).toEqual([]);
  const other = await chats.site.person();
  await owner.addMember(workspace, other, 'admin');
  expect(await other.refusal('GET', `${path}/${messageId}/passages`)).toEqual([404, 'no such conversation']);
  const second = await answered();
  expect(await owner.refusal('GET', `${path}/${second.messageId}/passages`)).toEqual([
    404,
    'no such message',
  ]);
  expect(await owner.refusal('GET', `${path}/msg_1/passages`)).toEqual([404, 'no such message']);
});
