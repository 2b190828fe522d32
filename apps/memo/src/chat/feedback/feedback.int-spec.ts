import { type Person } from '../../memo.fixture';
import { ChatSite, QUESTION } from '../chat-client.fixture';
import { type FeedbackListResponse } from './feedback.dto';

let chats: ChatSite;
let owner: Person;
let workspace: string;

beforeAll(async () => {
  chats = await ChatSite.start();
  ({ owner, workspace } = chats);
});
afterAll(() => chats?.stop());

async function answered(person = owner): Promise<{ id: string; conversationId: string; path: string }> {
  chats.says('Five days [1].');
  const { conversationId } = await chats.ask({}, person);
  const { id } = (await chats.conversation(conversationId, person)).messages.at(-1)!;
  return {
    id,
    conversationId,
    path: `/${workspace}/conversations/${conversationId}/messages/${id}/feedback`,
  };
}
const all = (query = '') => owner.json<FeedbackListResponse>('GET', `/${workspace}/feedback${query}`);

it('is kept with the answer, replaced, read by the admins, and withdrawn', async () => {
  const asker = await chats.site.person();
  await owner.addMember(workspace, asker, 'viewer');
  const { id, conversationId, path } = await answered(asker);
  const given = await asker.json('PUT', path, { rating: 'unhelpful', comment: ' The office is missing. ' });
  expect(given).toEqual({
    rating: 'unhelpful',
    comment: 'The office is missing.',
    created_at: expect.any(String) as string,
  });
  const messages = async () => (await chats.conversation(conversationId, asker)).messages;
  expect((await messages()).map(({ feedback }) => feedback)).toEqual([null, given]);
  expect(await all()).toEqual({
    ...{ helpful: 0, unhelpful: 1, next_cursor: null },
    feedback: [
      {
        ...(given as object),
        ...{ message_id: id, user_id: asker.accountId, email: asker.email },
        ...{ question: QUESTION, answer: 'Five days [1].' },
      },
    ],
  });
  await asker.json('PUT', path, { rating: 'helpful' });
  expect(await all()).toMatchObject({ helpful: 1, unhelpful: 0, feedback: [{ comment: '' }] });
  await asker.json('DELETE', path, undefined, 204);
  await asker.json('DELETE', path, undefined, 204);
  expect(await all()).toMatchObject({ helpful: 0, unhelpful: 0, feedback: [] });
  expect((await messages())[1]!.feedback).toBeNull();
});

it('is listed newest first in pages, and is gone with its conversation', async () => {
  const [one, two] = [await answered(), await answered()];
  for (const { path } of [one, two]) await owner.json('PUT', path, { rating: 'helpful' });
  const { feedback, next_cursor: cursor } = await all('?limit=1');
  expect(feedback.map(({ message_id: id }) => id)).toEqual([two.id]);
  const next = await all(`?limit=1&cursor=${cursor}`);
  expect(next.feedback.map(({ message_id: id }) => id)).toEqual([one.id]);
  await owner.json('DELETE', `/${workspace}/conversations/${two.conversationId}`, undefined, 204);
  expect((await all()).feedback.map(({ message_id: id }) => id)).toEqual([one.id]);
  await owner.json('DELETE', one.path, undefined, 204);
});

it('is not given on what belongs to somebody else, or on a question', async () => {
  const { path, conversationId } = await answered();
  const asker = await chats.site.person();
  await owner.addMember(workspace, asker, 'editor');
  const body = { rating: 'helpful' };
  expect(await asker.refusal('PUT', path, body)).toEqual([404, 'no such conversation']);
  expect((await asker.refusal('DELETE', path))[0]).toBe(404);
  expect((await (await chats.site.person()).refusal('PUT', path, body))[0]).toBe(404);
  const [question] = (await chats.conversation(conversationId)).messages;
  const ofQuestion = `/${workspace}/conversations/${conversationId}/messages/${question!.id}/feedback`;
  expect(await owner.refusal('PUT', ofQuestion, body)).toEqual([404, 'no such answer']);
  const other = await owner.newWorkspace();
  expect((await owner.refusal('PUT', path.replace(workspace, other), body))[0]).toBe(404);
  expect((await asker.refusal('GET', `/${workspace}/feedback`))[0]).toBe(403);
});

it('refuses other ratings and long comments', async () => {
  const { path } = await answered();
  for (const body of [{}, { rating: 'good' }, { rating: 'helpful', comment: 1 }, { rating: null }])
    expect((await owner.refusal('PUT', path, body))[0]).toBe(400);
  expect(await owner.refusal('PUT', path, { rating: 'helpful', comment: 'a'.repeat(2_001) })).toEqual([
    400,
    'comment: must have at most 2000 characters',
  ]);
});
