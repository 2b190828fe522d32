import { DatabaseBefore } from './database-before.fixture';

const MIGRATION = '0018_agent_sessions_by_account';

const FILL = `
  INSERT INTO accounts.accounts (id, email) VALUES ('a', 'a@example.com'), ('b', 'b@example.com');
  INSERT INTO accounts.api_keys (id, account_id, name, prefix, key_hash) VALUES ('key', 'a', 'k', 'bfvk-1', 'x');
  INSERT INTO agent.sessions (id, account_id, created_at) VALUES ('chat', 'a', '2026-01-01'), ('own', 'b', '2026-01-02');
  INSERT INTO agent.turns (id, session_id, number, api_key_id, status) VALUES ('turn', 'chat', 1, 'key', 'requires_action');
  INSERT INTO agent.events (id, session_id, seq, turn_id, type, role, content, tokens, after_position)
  VALUES ('event', 'chat', 1, 'turn', 'message', 'user', 'Hello', 1, 0);
  INSERT INTO agent.tool_calls (session_id, id, turn_id, position, call) VALUES ('chat', 'call', 'turn', 1, '{}')`;

/** `chat` of another account, and a session with an id that no other account uses. */
const FILL_NEW = `
  INSERT INTO agent.sessions (id, public_id, account_id, created_at)
  VALUES ('sess_1', 'chat', 'b', '2026-01-03'), ('sess_2', 'new', 'b', '2026-01-04');
  INSERT INTO agent.turns (id, session_id, number, api_key_id, status) VALUES ('turn_2', 'sess_2', 1, 'key', 'queued');
  INSERT INTO agent.events (id, session_id, seq, turn_id, type, role, content, tokens, after_position)
  VALUES ('event_2', 'sess_2', 1, 'turn_2', 'message', 'user', 'Hello', 1, 0)`;

const TABLES = ['agent.sessions', 'agent.turns', 'agent.events', 'agent.tool_calls'];

describe(MIGRATION, () => {
  let database: DatabaseBefore;

  beforeAll(async () => {
    database = await DatabaseBefore.create(MIGRATION);
    await database.owner.query(FILL);
  });

  afterAll(() => database?.drop());

  const sessions = async () =>
    (await database.owner.query('SELECT id, public_id, account_id FROM agent.sessions ORDER BY created_at'))
      .rows;

  it('keeps the ids and rows of a filled database, and goes back to the same schema and rows', async () => {
    const objects = await database.readObjects();
    const rows = await database.readRows(TABLES);
    await database.migrateUp();
    expect(await sessions()).toEqual([
      { id: 'chat', public_id: 'chat', account_id: 'a' },
      { id: 'own', public_id: 'own', account_id: 'b' },
    ]);
    await database.migrateDown(MIGRATION);
    expect(await database.readObjects()).toEqual(objects);
    expect(await database.readRows(TABLES)).toEqual(rows);
    await database.migrateUp();
  });

  it('lets the earlier version create sessions, under an id that its account does not use', async () => {
    const create = (id: string) => `
      INSERT INTO agent.sessions (id, account_id) VALUES ('${id}', 'b')
      ON CONFLICT DO NOTHING RETURNING id, public_id, account_id`;
    expect(await database.queryAs('agent', create('old'))).toEqual([
      { id: 'old', public_id: 'old', account_id: 'b' },
    ]);
    expect(await database.queryAs('agent', create('own'))).toEqual([]);
  });

  it('gives sessions their public ids when it is reverted, as far as only one account uses them', async () => {
    await database.owner.query(FILL_NEW);
    await database.migrateDown(MIGRATION);
    const { rows } = await database.owner.query(
      `SELECT s.id, account_id, array_agg(t.id) AS turns, array_agg(e.id) AS events
       FROM agent.sessions s LEFT JOIN agent.turns t ON t.session_id = s.id LEFT JOIN agent.events e ON e.session_id = s.id
       GROUP BY s.id ORDER BY s.created_at`,
    );
    expect(rows).toEqual([
      { id: 'chat', account_id: 'a', turns: ['turn'], events: ['event'] },
      { id: 'own', account_id: 'b', turns: [null], events: [null] },
      { id: 'sess_1', account_id: 'b', turns: [null], events: [null] },
      { id: 'new', account_id: 'b', turns: ['turn_2'], events: ['event_2'] },
    ]);
    await database.migrateUp();
  });
});
