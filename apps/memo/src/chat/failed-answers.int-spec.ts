import { once } from 'node:events';
import { connect } from 'node:net';
import { waitFor } from '@inference/testing';
import { ChatSite, QUESTION } from './chat-client.fixture';

/** The most that one answer may have; a few megabytes as events. */
const MOST_LINES = 999_000;
const LINES_AT_ONCE = 3_000;

let chats: ChatSite;

beforeAll(async () => {
  chats = await ChatSite.start();
});
afterAll(() => chats?.stop());

/** The end of the answer is held back until the promise resolves. */
function holdAnswer(until: Promise<void>, saying = 'Five days [1].'): void {
  chats.model.says(async (answer) => {
    answer.delta({ content: saying });
    await until;
    answer.finish('stop');
  });
}

const conversations = async () => (await chats.site.pool.query('SELECT FROM memo.conversations')).rowCount;

it('disconnects a reader that takes nothing, and the answer ends', async () => {
  const { url } = await chats.site.startReplica({ CLIENT_STALL_TIMEOUT_SECONDS: '0.5' });
  let isLeft = false;
  chats.model.says(async (answer) => {
    for (let sent = 0; sent < MOST_LINES; sent += LINES_AT_ONCE)
      answer.delta({ content: `${'\n'.repeat(LINES_AT_ONCE - 1)}x` });
    await answer.left();
    isLeft = true;
  });
  const body = JSON.stringify({ query: QUESTION });
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.write(
    `POST /v1/workspaces/${chats.workspace}/chat HTTP/1.1\r\nHost: x\r\nAuthorization: ${chats.owner.authorization}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  const [first] = (await once(socket, 'data')) as [Buffer];
  socket.pause();
  expect(first.toString()).toContain('200 OK');
  await waitFor(() => isLeft);
  const { rows } = await waitFor(async () => {
    const found = await chats.site.pool.query("SELECT status FROM memo.messages WHERE role = 'assistant'");
    return found.rows.length > 0 && found;
  });
  expect(rows).toEqual([{ status: 'cancelled' }]);
  socket.destroy();
});

it('aborts an answer that does not end', async () => {
  let isLeft = false;
  chats.model.says(async (answer) => {
    for (let sent = 0; sent <= 1_000_000; sent += 10_000) answer.delta({ content: 'x'.repeat(10_000) });
    await answer.left();
    isLeft = true;
  });
  const { text, citations, error } = await chats.ask();
  expect([text.length, citations]).toEqual([1_000_000, undefined]);
  expect(error).toEqual({ error: 'The answer is too long.', code: 'model_error', retryable: false });
  await waitFor(() => isLeft);
});

describe('an answer that cannot be stored', () => {
  it('ends with an error and without citations if the database fails', async () => {
    const before = await conversations();
    chats.says('Five days [1].');
    await chats.site.pool.query('ALTER TABLE memo.messages ADD CONSTRAINT none CHECK (false) NOT VALID');
    try {
      expect(await chats.ask()).toMatchObject({
        text: 'Five days [1].',
        citations: undefined,
        error: {
          error: 'The citations could not be confirmed. Ask again.',
          code: 'unavailable',
          retryable: true,
        },
      });
    } finally {
      await chats.site.pool.query('ALTER TABLE memo.messages DROP CONSTRAINT none');
    }
    expect(await conversations()).toBe(before);
  });

  it('ends with an error if the caller is no longer a member', async () => {
    const member = await chats.site.person();
    await chats.owner.addMember(chats.workspace, member, 'viewer');
    chats.says('Five days [1].');
    const { conversationId } = await chats.ask({}, member);
    let goOn: () => void = () => undefined;
    holdAnswer(new Promise((resolve) => (goOn = resolve)));
    const asked = chats.model.requests.length;
    const answer = chats.ask({ conversation_id: conversationId }, member);
    await waitFor(() => chats.model.requests.length > asked);
    await chats.owner.json('DELETE', `/${chats.workspace}/members/${member.accountId}`, undefined, 204);
    goOn();
    expect(await answer).toMatchObject({
      citations: undefined,
      error: { error: 'no such workspace', code: 'not_allowed', retryable: false },
    });
  });
});

describe('an account that is suspended', () => {
  const set = (id: string, at: string) =>
    chats.site.pool.query(`UPDATE accounts.accounts SET suspended_at = ${at} WHERE id = $1`, [id]);

  it('loses the answer that is written, and is refused with its sessions and keys', async () => {
    const { accountId } = chats.owner;
    const made = await chats.owner.json<{ key: string }>(
      'POST',
      `/${chats.workspace}/keys`,
      { name: 'suspended', role: 'viewer' },
      201,
    );
    const listed = (headers: Record<string, string>) =>
      fetch(`${chats.site.url}/v1/workspaces/${chats.workspace}/documents`, { headers });
    const ways: Record<string, string>[] = [
      { 'X-API-Key': made.key },
      { Authorization: chats.owner.authorization },
    ];
    for (const way of ways) expect((await listed(way)).status).toBe(200);
    let hasBegun = false;
    let isLeft = false;
    chats.model.says(async (answer) => {
      answer.delta({ content: 'Five days [1].' });
      hasBegun = true;
      await answer.left();
      isLeft = true;
    });
    const asked = chats.ask();
    await waitFor(() => hasBegun);
    const suspendedAt = performance.now();
    await set(accountId, 'now()');
    try {
      const { error, citations } = await asked;
      expect(performance.now() - suspendedAt).toBeLessThan(5_000);
      expect([error, citations]).toMatchObject([{ code: 'account_suspended', retryable: false }, undefined]);
      await waitFor(() => isLeft);
      for (const way of ways) {
        await waitFor(async () => (await listed(way)).status === 403);
        expect(await (await listed(way)).json()).toMatchObject({ code: 'account_suspended' });
      }
    } finally {
      await set(accountId, 'NULL');
    }
    for (const way of ways) await waitFor(async () => (await listed(way)).status === 200);
  });
});
