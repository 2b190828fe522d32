import { readCitations, readEvents } from '../chat/chat-client.fixture';
import { form } from '../documents/uploads/uploads.fixture';
import { MemoSite, type Person } from '../memo.fixture';
import { waitFor } from '@inference/testing';

const PEOPLE = 4;
const CONCURRENT_CALLERS = 16;
const OPERATIONS = 400;
const WORKSPACES = 3;
const EXTERNAL_IDS = 6;
const MAX_DOCUMENTS = 2;
const WORDS = 'refund policy shipping penguin antarctic cold alpha beta gamma delta epsilon'.split(' ');
/** Statuses that may result from concurrent changes. */
const EXPECTED = new Set([200, 201, 204, 403, 404, 409]);

/** Each query counts violations, except for the first two, which return figures that must be equal. */
const INVARIANTS: Record<string, string> = {
  'workspaces whose index differs from the served chunks and words': `
    SELECT count(*) FROM memo.workspaces w
      LEFT JOIN LATERAL (SELECT sum(chunks) AS chunks, sum(words) AS words FROM memo.segments WHERE workspace_id = w.id) i ON true
      LEFT JOIN LATERAL (SELECT sum(chunks) AS chunks, sum(words) AS words FROM memo.retired_chunks WHERE workspace_id = w.id) r ON true
      LEFT JOIN LATERAL (SELECT sum(chunk_count) AS chunks, sum(words) AS words
        FROM memo.documents d JOIN memo.document_versions v ON v.document_id = d.id AND v.version = d.serving_version
        WHERE d.workspace_id = w.id) s ON true
    WHERE (coalesce(i.chunks, 0) - coalesce(r.chunks, 0), coalesce(i.words, 0) - coalesce(r.words, 0))
      <> (coalesce(s.chunks, 0), coalesce(s.words, 0))`,
  'ready versions with missing chunks': `
    SELECT count(*) FROM memo.document_versions v WHERE status = 'ready' AND chunk_count <>
      (SELECT count(*) FROM memo.chunks c WHERE c.document_id = v.document_id AND c.version = v.version)`,
  'ready versions that are not served': `
    SELECT count(*) FROM memo.document_versions v JOIN memo.documents d ON d.id = v.document_id
    WHERE v.status = 'ready' AND d.serving_version IS DISTINCT FROM v.version`,
  'chunks without a version': `
    SELECT count(*) FROM memo.chunks c WHERE NOT EXISTS (
      SELECT FROM memo.document_versions v WHERE v.document_id = c.document_id AND v.version = c.version)`,
  'segments without a workspace': `
    SELECT count(*) FROM memo.segments s WHERE NOT EXISTS (SELECT FROM memo.workspaces w WHERE w.id = s.workspace_id)`,
  'postings without a segment': `
    SELECT count(*) FROM memo.postings p WHERE NOT EXISTS (SELECT FROM memo.segments s WHERE s.id = p.segment_id)`,
  'retired chunks without a workspace': `
    SELECT count(*) FROM memo.retired_chunks r WHERE NOT EXISTS (SELECT FROM memo.workspaces w WHERE w.id = r.workspace_id)`,
  'stored files without a version': `
    SELECT count(*) FROM memo.source_parts p WHERE NOT EXISTS (
      SELECT FROM memo.document_versions v WHERE v.upload_id = p.upload_id)`,
  'workspaces with a wrong usage count': `
    SELECT count(*) FROM memo.workspaces w
      LEFT JOIN LATERAL (SELECT sum(documents) AS documents, sum(bytes) AS bytes
        FROM memo.workspace_usage WHERE workspace_id = w.id) h ON true
      LEFT JOIN LATERAL (SELECT count(*) AS documents, sum(v.bytes) AS bytes
        FROM memo.documents d JOIN memo.document_versions v ON v.document_id = d.id AND v.version = d.version
        WHERE d.workspace_id = w.id) d ON true
    WHERE (coalesce(h.documents, 0), coalesce(h.bytes, 0)) <> (d.documents, coalesce(d.bytes, 0))`,
  'workspaces without an admin': `
    SELECT count(*) FROM memo.workspaces w WHERE NOT EXISTS (
      SELECT FROM memo.members m WHERE m.workspace_id = w.id AND m.role = 'admin')`,
  deadlocks: 'SELECT deadlocks AS count FROM pg_stat_database WHERE datname = current_database()',
};
const UNFINISHED_WORK = `
  SELECT FROM memo.document_versions WHERE status IN ('queued', 'processing') UNION ALL SELECT FROM memo.garbage
  UNION ALL SELECT FROM memo_jobs.jobs`;

let site: MemoSite;
let people: Person[];

beforeAll(async () => {
  site = await MemoSite.start({ environment: { MAX_WORKSPACE_DOCUMENTS: String(MAX_DOCUMENTS) } });
  await site.startReplica();
  site.startIngestion();
  site.startIngestion();
  people = await Promise.all(Array.from({ length: PEOPLE }, () => site.person()));
});
afterAll(() => site?.stop());

const violations = async () => {
  const found: string[] = [];
  for (const [what, text] of Object.entries(INVARIANTS)) {
    const { rows } = await site.pool.query<{ count: bigint }>(text);
    if (rows[0]!.count !== 0n) found.push(`${rows[0]!.count} ${what}`);
  }
  return found;
};

/** The sequence of requests is reproducible; their interleaving is not. */
let seed = 1;
function random(): number {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed / 2_147_483_647;
}
const below = (most: number) => Math.floor(random() * most);
const pick = <T>(from: readonly T[]): T => from[below(from.length)]!;
const words = (count: number) => Array.from({ length: count }, () => pick(WORDS)).join(' ');

interface Shared {
  id: string;
  documents: string[];
  conversations: string[];
}

/** A random member at a random replica. */
const randomMember = () => pick(people).at(pick(site.replicas).url);

class ConcurrentLoad {
  readonly responses = new Map<string, number>();
  readonly unexpectedResponses: string[] = [];
  private readonly workspaces: Shared[] = [];

  async createWorkspaces(): Promise<void> {
    while (this.workspaces.length < WORKSPACES) await this.addWorkspace();
  }

  async run(): Promise<void> {
    let left = OPERATIONS;
    const operate = async () => {
      while (left-- > 0) await pick(this.operations)(pick(this.workspaces));
    };
    await Promise.all(Array.from({ length: CONCURRENT_CALLERS }, operate));
  }

  private async call(method: string, path: string, body?: unknown, who = randomMember()): Promise<unknown> {
    const response = await who.call(method, path, body);
    const text = await response.text();
    if (!EXPECTED.has(response.status))
      this.unexpectedResponses.push(`${method} ${path}: ${response.status} ${text}`);
    const what = `${method} ${path.split('/')[2] ?? 'workspace'} ${response.status}`;
    this.responses.set(what, (this.responses.get(what) ?? 0) + 1);
    if (response.headers.get('content-type') !== 'text/event-stream')
      return response.ok && text ? JSON.parse(text) : undefined;
    const { citations, error } = readEvents(text);
    // A caller who lost access receives no citations.
    if (!error) readCitations(citations);
    else if (!['not_allowed', 'unavailable'].includes(error.code))
      this.unexpectedResponses.push(`${path}: ${error.code}`);
    return { id: response.headers.get('X-Conversation-Id') };
  }

  private async addWorkspace(): Promise<void> {
    const [creator, ...others] = people as [Person, ...Person[]];
    const { id } = (await this.call('POST', '', { name: 'Load' }, creator)) as { id: string };
    for (const other of others) await this.addMember(id, other, 'admin', creator);
    this.workspaces.push({ id, documents: [], conversations: [] });
  }

  private async addMember(id: string, person: Person, role: string, inviter = randomMember()): Promise<void> {
    const body = { email: person.email, role };
    const invitation = (await this.call('POST', `/${id}/invitations`, body, inviter)) as
      | { id: string }
      | undefined;
    if (invitation) await this.call('POST', `/${invitation.id}/accept`, undefined, person.received);
  }

  private readonly upload = async ({ id, documents }: Shared) => {
    const external = { external_id: `x${below(EXTERNAL_IDS)}` };
    const isBroken = random() < 0.1;
    const body = isBroken
      ? form('%PDF-1.4 rubbish', 'a.pdf', external)
      : { title: `Title ${below(4)}`, text: `${words(30 + below(400))}.`, ...external };
    const added = (await this.call('POST', `/${id}/documents`, body)) as { id: string } | undefined;
    if (added) documents.push(added.id);
  };

  private readonly chat = async ({ id, conversations }: Shared) => {
    const isNew = conversations.length === 0 || random() < 0.4;
    const rest = isNew ? {} : { conversation_id: pick(conversations) };
    const body = { query: `${words(3)}?`, k: 20, ...rest };
    const answered = (await this.call('POST', `/${id}/chat`, body)) as { id: string } | undefined;
    if (answered) conversations.push(answered.id);
  };

  private readonly operations: ((workspace: Shared) => Promise<unknown>)[] = [
    this.upload,
    this.upload,
    this.upload,
    this.chat,
    this.chat,
    this.chat,
    async ({ id, documents }) => {
      const body = { title: 'Replaced', text: words(90), external_id: `x${below(EXTERNAL_IDS)}` };
      if (documents.length > 0) await this.call('PUT', `/${id}/documents/${pick(documents)}`, body);
    },
    async ({ id, documents }) => {
      if (documents.length > 0) await this.call('DELETE', `/${id}/documents/${pick(documents)}`);
    },
    async ({ id, documents }) => {
      if (documents.length > 0) await this.call('DELETE', `/${id}/documents/${pick(documents)}`);
    },
    async ({ id, conversations }) => {
      // Visible only to the member who started it.
      const path = `/${id}/conversations/${pick(conversations)}`;
      for (const person of conversations.length > 0 ? people : [])
        await this.call('DELETE', path, undefined, person);
    },
    async ({ id }) => {
      const person = pick(people);
      await this.call('DELETE', `/${id}/members/${person.accountId}`);
      await this.addMember(id, person, pick(['editor', 'admin']));
    },
    async ({ id }) => {
      const { accountId } = pick(people);
      const changes = [
        this.call('PATCH', `/${id}`, { name: words(2) }),
        this.call('PATCH', `/${id}/members/${accountId}`, { role: pick(['viewer', 'admin']) }),
      ];
      await Promise.all(changes);
    },
    async (workspace) => {
      if (random() < 0.7) return;
      await this.addWorkspace();
      const at = this.workspaces.indexOf(workspace);
      if (at < 0) return;
      this.workspaces.splice(at, 1);
      for (const person of people) await this.call('DELETE', `/${workspace.id}`, undefined, person);
    },
  ];
}

it('stays consistent under concurrent requests of all kinds', async () => {
  const load = new ConcurrentLoad();
  await load.createWorkspaces();
  await load.run();
  expect(load.unexpectedResponses).toEqual([]);
  // Every kind of event has occurred.
  for (const what of [
    'POST documents 201',
    'POST documents 200',
    'POST documents 409',
    'DELETE documents 204',
    'POST chat 200',
  ])
    expect([what, load.responses.get(what) ?? 0]).not.toEqual([what, 0]);
  // A worker runs the recovery when it starts; a running one only from time to time.
  site.startIngestion();
  await waitFor(async () => (await site.pool.query(UNFINISHED_WORK)).rowCount === 0, 50_000);
  expect(await violations()).toEqual([]);
});

it('deletes documents, conversations and members in any order while answers cite the same documents', async () => {
  const [owner, other] = people as [Person, Person];
  for (let round = 0; round < 6; round++) {
    const workspace = await owner.newWorkspace();
    await owner.addMember(workspace, other, 'editor');
    const { documents, conversations } = await fill(workspace, [owner, other]);
    const remove = (path: string, person = owner) => person.call('DELETE', `/${workspace}${path}`);
    const removals =
      round % 2 === 0
        ? [remove(''), ...conversations.map((id) => remove(`/conversations/${id}`))]
        : [
            ...documents.slice(0, 10).map((id) => remove(`/documents/${id}`)),
            remove(`/members/${other.accountId}`),
            ...conversations.map((id) => remove(`/conversations/${id}`)),
          ];
    const statuses = (await Promise.all(removals)).map(({ status }) => status);
    expect(statuses.filter((status) => status !== 204 && status !== 404)).toEqual([]);
    await owner.call('DELETE', `/${workspace}`);
  }
  expect(await violations()).toEqual([]);
});

/** Many answers in a few conversations of each member, each citing many documents. */
async function fill(
  workspace: string,
  authors: Person[],
): Promise<{ documents: string[]; conversations: string[] }> {
  const names = (what: string, count: number) =>
    Array.from({ length: count }, (_, n) => `${what}_${workspace}_${n}`);
  const [documents, conversations] = [names('doc', 30), names('conv', 4)];
  await site.pool.query(
    `INSERT INTO memo.documents (id, workspace_id, version, created_by) SELECT id, $1, 1, $2 FROM unnest($3::text[]) id`,
    [workspace, authors[0]!.accountId, documents],
  );
  for (const [n, id] of conversations.entries()) {
    const { accountId } = authors[n % authors.length]!;
    await site.pool.query(
      `INSERT INTO memo.conversations (id, workspace_id, account_id, title) VALUES ($1, $2, $3, 'Title')`,
      [id, workspace, accountId],
    );
    await site.pool.query(
      `INSERT INTO memo.messages (id, conversation_id, n, role, content, status)
       SELECT $1 || n, $1, n, 'assistant', 'Text', 'completed' FROM generate_series(60, 1, -1) n`,
      [id],
    );
    await site.pool.query(
      `INSERT INTO memo.citations
       SELECT $1 || n, k, ($2::text[])[1 + (n * 7 + k * 11) % 30], 1, 'Title', 0, 0, 1, 'x'
       FROM generate_series(1, 60) n, generate_series(1, 15) k`,
      [id, documents],
    );
  }
  return { documents, conversations };
}
