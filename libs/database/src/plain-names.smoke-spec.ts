import { DatabaseBefore } from './database-before.fixture';

const MIGRATION = '0016_plain_names';

const FILL = `
  INSERT INTO accounts.accounts (id, email) VALUES ('acct', 'owner@example.com');
  INSERT INTO accounts.api_keys (id, account_id, name, prefix, key_hash) VALUES ('key', 'acct', 'k', 'bfvk-1', 'x');
  INSERT INTO accounts.login_challenges (id_hash, account_id, credentials_version, method, tries_left, expires_at)
  VALUES ('challenge', 'acct', 0, 'password', 3, now() + interval '1 hour');
  SELECT accounts.count_guess(ARRAY['password acct strangers', 'address ' || accounts.place_of('2001:db8::1')], '{2,30}', '{900,60}');
  SELECT accounts.count_guess('{password acct 192.0.2.1}', '{10}', '{900}');
  INSERT INTO wallet.wallets (account_id, currency, balance_picos, leased_picos) VALUES ('acct', 'USD', 100, 40);
  INSERT INTO wallet.leases (id, account_id, holder, amount_picos, expires_at)
  VALUES ('lease', 'acct', 'gateway', 40, now() - interval '1 minute');
  INSERT INTO metering.settlements (id, settled_at) VALUES ('old', now() - interval '2 days'), ('new', now());
  INSERT INTO agent.sessions (id, account_id) VALUES ('session', 'acct');
  INSERT INTO agent.turns (id, session_id, number, api_key_id, status, runner, call_frame)
  VALUES ('turn', 'session', 1, 'key', 'running', 'replica', 1);
  INSERT INTO agent.events (id, session_id, seq, turn_id, type, role, content, tokens, after_frame)
  VALUES ('event', 'session', 1, 'turn', 'message', 'user', 'Hello', 1, 2);
  INSERT INTO agent.frames VALUES ('turn', 1, 'turn.started', '{}'), ('turn', 2, 'delta', 'Hi');
  INSERT INTO memo.workspaces (id, name, created_by) VALUES ('workspace', 'w', 'acct');
  INSERT INTO memo.holdings VALUES ('workspace', 2, 300), ('workspace', -1, -100);
  INSERT INTO memo.documents (id, workspace_id, version, created_by) VALUES ('document', 'workspace', 1, 'acct');
  INSERT INTO memo.document_versions (document_id, version, workspace_id, title, metadata, media_type, bytes, sha256,
    uploaded_by, status) VALUES ('document', 1, 'workspace', 't', '{}', 'text/plain', 200, 'x', 'acct', 'queued')`;

/** The renamed tables, with their rows as text. */
const RENAMED_TABLES: [before: string, after: string][] = [
  ['accounts.guesses', 'accounts.login_attempts'],
  ['accounts.login_challenges', 'accounts.login_challenges'],
  ['agent.frames', 'agent.stream_events'],
  ['agent.turns', 'agent.turns'],
  ['agent.events', 'agent.events'],
  ['memo.holdings', 'memo.workspace_usage'],
  ['memo.document_versions', 'memo.document_versions'],
];

describe(MIGRATION, () => {
  let database: DatabaseBefore;

  beforeAll(async () => {
    database = await DatabaseBefore.create(MIGRATION);
    await database.owner.query(FILL);
  });

  afterAll(() => database?.drop());

  it('keeps the rows and privileges of a filled database, and goes back to the same schema and rows', async () => {
    const objects = await database.readObjects();
    const rows = await database.readRows(RENAMED_TABLES.map(([before]) => before));

    await database.migrateUp();
    const renamed = await database.readRows(RENAMED_TABLES.map(([, after]) => after));
    expect(JSON.parse(JSON.stringify(renamed).replace('unknown_networks', 'strangers'))).toEqual(rows);

    const oldWords =
      /guess|forg[eo]t|strangers|place_of|_places|frame|holding|sweep|beat_at(?<!heartbeat_at)|tries_left|_maker|note_change|keep_package|package_kept/;
    expect((await database.readObjects()).filter((object) => oldWords.test(object))).toEqual([]);

    await database.migrateDown(MIGRATION);
    expect(await database.readObjects()).toEqual(objects);
    expect(await database.readRows(RENAMED_TABLES.map(([before]) => before))).toEqual(rows);
    await database.migrateUp();
  });

  it.each([
    [
      'console',
      'accounts.address_network',
      "SELECT accounts.address_network('2001:db8::1') AS result",
      '2001:db8::/64',
    ],
    [
      'console',
      'accounts.count_login_attempt',
      "SELECT failures AS result FROM accounts.login_attempts, accounts.count_login_attempt('{new}', '{1}', '{1}') LIMIT 1",
      1,
    ],
    [
      'console',
      'accounts.record_login_success',
      "SELECT accounts.record_login_success('new', NULL, now()) AS result",
      '',
    ],
    [
      'console',
      'accounts.delete_expired_login_attempts',
      'SELECT accounts.delete_expired_login_attempts(10) AS result',
      0n,
    ],
    ['gateway', 'wallet.reclaim_expired_leases', 'SELECT wallet.reclaim_expired_leases() AS result', 1],
    [
      'gateway',
      'metering.delete_old_settlements',
      'SELECT metering.delete_old_settlements() AS result',
      null,
    ],
    ['agent', 'agent.stream_events', 'SELECT max(n) AS result FROM agent.stream_events', 2],
    ['agent', 'agent.turns.call_position', 'SELECT call_position AS result FROM agent.turns', 1],
    ['agent', 'agent.events.after_position', 'SELECT after_position AS result FROM agent.events', 2],
    ['memo', 'memo.workspace_usage', 'SELECT sum(documents)::int AS result FROM memo.workspace_usage', 1],
  ])('lets %s use %s', async (role, _object, statement, result) => {
    expect(await database.queryAs(role, statement)).toEqual([{ result }]);
  });
});
