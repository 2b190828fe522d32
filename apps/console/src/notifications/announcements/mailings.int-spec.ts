import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TestPool, waitFor } from '@inference/testing';
import { ENTITIES } from '../../entities';
import { settleRequest, type SignedIn, TestConsole, TestSite } from '../../testing/console.fixture';
import { Mailbox } from '../mail/mailbox.fixture';
import { consoleJobs } from '../mail/mail.fixture';
import { type AnnouncementResponse, type AnnouncementsResponse } from './announcements.dto';
import { MailingJob } from './mailing.job';
import { type MailingResponse } from './mailings.dto';
import { deleteOldRecipients } from './mailings.repository';

const ADMIN = '/api/admin/announcements';
const CONTENT = {
  severity: 'info',
  audience: 'all',
  title_en: 'New prices',
  body_en: 'From Monday.\n\nSee https://example.com.',
  title_zh: '价格调整',
  body_zh: '周一起生效。',
};
const TIERS = [
  { name: 'free', models: {} },
  { name: 'old', age_days: 100, models: {} },
];

const realRun = MailingJob.prototype.run;

describe('announcements by mail', () => {
  const mailbox = new Mailbox();
  let site: TestSite;
  let operator: SignedIn;
  let announcementId: string;
  const pools: TestPool[] = [];
  const query = async <Row extends object>(text: string, values: unknown[] = []) =>
    (await site.database.pool.query<Row>(text, values)).rows;
  const post = (path: string, json: unknown = {}, person: SignedIn = operator) =>
    site.console.request('POST', `${ADMIN}/${path}`, { token: person.token, json });
  const start = async (json: object = {}) => {
    const answer = await post(`${announcementId}/mailing`, json);
    expect([answer.status, answer.body]).toEqual([200, expect.objectContaining({ state: 'sending' })]);
    return answer.body as MailingResponse;
  };
  const mailing = async () => {
    const { body } = await site.console.request('GET', ADMIN, { token: operator.token });
    return (body as AnnouncementsResponse).announcements.find(({ id }) => id === announcementId)!.mailing;
  };
  /** Requests the mails of one interval, as one replica does. */
  const createJob = async (mailsPerMinute: number) => {
    const url = site.database.urlFor('console');
    const pool = await TestPool.withEntities({ url, applicationName: 'mailing', size: 3 }, ENTITIES);
    pools.push(pool);
    const job = new MailingJob(pool, { isPossible: true, mailsPerMinute, tiers: [] }, consoleJobs(url));
    return () => realRun.call(job);
  };
  const requested = async () =>
    (
      await query<{ account_id: string }>(
        "SELECT account_id FROM accounts.mail_outbox WHERE kind = 'announcement' ORDER BY account_id",
      )
    ).map((row) => row.account_id);
  /** Lets the mail sender of the console send what was requested. */
  const release = () => query('UPDATE accounts.mail_outbox SET next_attempt_at = now()');
  /** Lets it send all of them, and waits for that. */
  const handOver = async () => {
    await release();
    await waitFor(async () => (await requested()).length === 0);
  };
  const received = () =>
    readdirSync(mailbox.folder).flatMap(
      (name) => /^To: (.*)$/m.exec(readFileSync(join(mailbox.folder, name), 'utf8'))?.[1] ?? [],
    );
  const emailOf = async ({ accountId }: SignedIn) =>
    (await query<{ email: string }>('SELECT email FROM accounts.accounts WHERE id = $1', [accountId]))[0]!
      .email;
  const codeOf = async ({ accountId }: SignedIn) =>
    (
      await query<{ code: string }>(
        'SELECT unsubscribe_code AS code FROM accounts.mail_preferences WHERE account_id = $1',
        [accountId],
      )
    )[0]!.code;
  const people = (count: number) => Promise.all(Array.from({ length: count }, () => site.signedIn()));
  const idsOf = (...persons: SignedIn[]) => persons.map(({ accountId }) => accountId).sort();
  const announce = async (more: object = {}) => {
    const json = { ...CONTENT, ...more };
    const { body } = await site.console.request('POST', ADMIN, { token: operator.token, json });
    return (body as AnnouncementResponse).id;
  };
  const reached = async (json: object) => {
    const answer = await post(`${announcementId}/mailing/count`, json);
    expect(answer.status).toBe(200);
    return (answer.body as { recipients: number }).recipients;
  };

  beforeAll(async () => {
    // The console itself is not to take a turn during a test.
    jest.spyOn(MailingJob.prototype, 'run').mockResolvedValue();
    const tiers = JSON.stringify(TIERS);
    site = await TestSite.start({ ...mailbox.environment, MODEL_RATE_LIMIT_TIERS: tiers });
    // Mails wait until a test lets them go.
    await query(`CREATE FUNCTION hold_mail() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN NEW.next_attempt_at := now() + interval '1 hour'; RETURN NEW; END $$`);
    await query(`CREATE TRIGGER hold BEFORE INSERT ON accounts.mail_outbox FOR EACH ROW
      WHEN (NEW.kind = 'announcement') EXECUTE FUNCTION hold_mail()`);
  });
  beforeEach(async () => {
    await query(
      'TRUNCATE accounts.announcement_recipients, accounts.announcement_mailings, accounts.mail_preferences, accounts.mail_outbox',
    );
    await query('UPDATE accounts.accounts SET email_verified_at = NULL');
    operator = await site.signedIn('operator');
    announcementId = await announce();
    expect(await mailing()).toBeNull();
  });
  afterEach(() => Promise.all(pools.splice(0).map((pool) => pool.end())));
  afterAll(async () => {
    jest.restoreAllMocks();
    await site.stop();
    mailbox.remove();
  });

  it('go to each confirmed account in its language, with a link and a header to unsubscribe', async () => {
    const [english, chinese, unproven, suspended] = await people(4);
    const set = (column: string, value: string, person: SignedIn) =>
      query(`UPDATE accounts.accounts SET ${column} = ${value} WHERE id = $1`, [person.accountId]);
    await set('language', "'zh-CN'", chinese!);
    await set('email_verified_at', 'NULL', unproven!);
    await set('suspended_at', 'now()', suspended!);
    expect(await reached({})).toBe(3);
    expect((await start()).recipients).toBe(3);
    await (
      await createJob(600)
    )();
    expect(await requested()).toEqual(idsOf(operator, english!, chinese!));
    expect(await mailing()).toMatchObject({ state: 'sent', recipients: 3, queued: 3 });
    await release();
    const mail = await mailbox.next('announcement', await emailOf(english!));
    const code = await codeOf(english!);
    expect(mail).toContain('Subject: Inference Platform: New prices\n');
    expect(mail).toMatch(
      new RegExp(`List-Unsubscribe:\\s+<http://console.test/api/mail/unsubscribe\\?code=${code}>`),
    );
    expect(mail).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click\n');
    expect(mail).toContain('\nFrom Monday.\n\nSee https://example.com.\n');
    expect(mail).toContain(`\nhttp://console.test/unsubscribe#token=${code}\n`);
    expect(mail).not.toContain('周一起生效');
    expect(await mailbox.next('announcement', await emailOf(chinese!))).toContain('周一起生效。');
  });

  it('are requested once for each account, by whichever replicas, and after a failure in the middle', async () => {
    const persons = await people(25);
    await start();
    await query(`CREATE FUNCTION fail_mail() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN IF (SELECT count(*) FROM accounts.mail_outbox) = 5 THEN RAISE 'crash'; END IF; RETURN NEW; END $$`);
    await query(
      'CREATE TRIGGER fail BEFORE INSERT ON accounts.mail_outbox FOR EACH ROW EXECUTE FUNCTION fail_mail()',
    );
    const [one, other] = [await createJob(6_000), await createJob(6_000)];
    await expect(one()).rejects.toThrow('crash');
    await query('DROP FUNCTION fail_mail CASCADE');
    expect(await requested()).toEqual([]);
    expect(await mailing()).toMatchObject({ state: 'sending', queued: 0 });
    await Promise.all([one(), other()]);
    await Promise.all([one(), other()]);
    expect(await requested()).toEqual(idsOf(operator, ...persons));
    expect(await mailing()).toMatchObject({ state: 'sent', recipients: 26, queued: 26 });
  });

  it('go out at the rate of the site, and not faster than the mail server takes them', async () => {
    await people(5);
    await start();
    const job = await createJob(12);
    for (let turn = 0; turn < 3; turn++) await job();
    expect((await requested()).length).toBe(2);
    await query('DELETE FROM accounts.mail_outbox');
    await job();
    expect((await requested()).length).toBe(2);
    expect(await mailing()).toMatchObject({ state: 'sending', recipients: 6, queued: 4 });
  });

  it('are cancelled with those that still wait', async () => {
    await people(3);
    await start();
    const job = await createJob(12);
    await job();
    expect((await post(`${announcementId}/mailing/cancel`)).body).toMatchObject({
      state: 'cancelled',
      queued: 0,
    });
    expect(await requested()).toEqual([]);
    await job();
    expect(await requested()).toEqual([]);
    expect((await post(`${announcementId}/mailing/cancel`)).status).toBe(409);
    expect((await post(`${announcementId}/mailing`)).status).toBe(409);
    const events = await query<{ details: { action: string; recipients?: number } }>(
      "SELECT details FROM accounts.security_events WHERE details->>'announcement_id' = $1 ORDER BY created_at",
      [announcementId],
    );
    expect(events.map(({ details }) => [details.action, details.recipients])).toEqual([
      ['created', undefined],
      ['mailed', 4],
      ['mailing_cancelled', undefined],
    ]);
  });

  it('are forgotten by account after 90 days, and counted for good', async () => {
    await people(2);
    await start();
    await (
      await createJob(600)
    )();
    const count = async () =>
      (await query<{ count: number }>('SELECT count(*)::int FROM accounts.announcement_recipients'))[0]!
        .count;
    const [pool] = pools;
    await deleteOldRecipients(pool!, 90);
    expect(await count()).toBe(3);
    await query("UPDATE accounts.announcement_mailings SET finished_at = now() - interval '91 days'");
    await deleteOldRecipients(pool!, 90);
    expect(await count()).toBe(0);
    expect(await mailing()).toMatchObject({ state: 'sent', recipients: 3, queued: 3 });
  });

  it('end with the announcement', async () => {
    await people(3);
    await start();
    await post(`${announcementId}/end`);
    await (
      await createJob(600)
    )();
    expect(await requested()).toEqual([]);
    expect(await mailing()).toMatchObject({ state: 'cancelled' });
  });

  it('are stopped and resumed by the code of a mail, without a sign-in', async () => {
    const [person] = await people(1);
    await start();
    await (
      await createJob(600)
    )();
    const code = await codeOf(person!);
    const call = (action: string, value: string, raw?: string) =>
      site.console.request('POST', `/api/mail/${action}?code=${value}`, {
        ...(raw !== undefined && { raw, headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }),
      });
    expect(await requested()).toEqual(idsOf(operator, person!));
    const stopped = await call('unsubscribe', code, 'List-Unsubscribe=One-Click');
    expect([stopped.status, stopped.body]).toEqual([200, { announcements: false }]);
    await handOver();
    expect(received()).not.toContain(await emailOf(person!));
    expect(await mailing()).toMatchObject({ recipients: 2, queued: 1, skipped: 1 });
    expect((await call('unsubscribe', code)).status).toBe(200);
    announcementId = await announce();
    expect(await reached({})).toBe(1);
    expect((await call('subscribe', code)).body).toEqual({ announcements: true });
    expect(await reached({})).toBe(2);
    expect((await call('unsubscribe', '0'.repeat(22))).status).toBe(404);
    expect((await call('unsubscribe', 'short')).status).toBe(400);
    expect((await site.console.request('GET', `/api/mail/unsubscribe?code=${code}`)).status).toBe(405);
  });

  it('stop and resume by the settings of the account, which agree with the links in the mails', async () => {
    const [person, fresh] = await people(2);
    const PATH = '/api/account/mail-preferences';
    const own = ({ token }: SignedIn, method = 'GET', json?: object) =>
      site.console.request(method, PATH, { token, ...(json && { json }) });
    const set = (whose: SignedIn, announcements: boolean) => own(whose, 'PUT', { announcements });
    expect((await own(person!)).body).toEqual({ announcements: true });
    await start();
    await (
      await createJob(600)
    )();
    const code = await codeOf(person!);
    const link = (path: string) => site.console.request('POST', `/api/mail/${path}?code=${code}`);
    expect(await requested()).toEqual(idsOf(operator, person!, fresh!));
    expect((await set(person!, false)).body).toEqual({ announcements: false });
    // What has not gone does not, and the link of the mail stays as it is.
    await handOver();
    expect(await mailing()).toMatchObject({ recipients: 3, queued: 2, skipped: 1 });
    expect(await codeOf(person!)).toBe(code);
    announcementId = await announce();
    expect(await reached({})).toBe(2);
    await link('subscribe');
    expect((await own(person!)).body).toEqual({ announcements: true });
    await link('unsubscribe');
    expect((await own(person!)).body).toEqual({ announcements: false });
    await set(person!, true);
    expect([(await own(person!)).body, await reached({})]).toEqual([{ announcements: true }, 3]);
    // An account that was never sent one.
    const [newcomer] = await people(1);
    for (let twice = 0; twice < 2; twice++) expect((await set(newcomer!, false)).status).toBe(200);
    expect([(await own(newcomer!)).body, await reached({})]).toEqual([{ announcements: false }, 3]);
    expect((await own(person!)).body).toEqual({ announcements: true });
    for (const json of [{}, { announcements: 'no' }, { announcements: null }])
      expect((await own(person!, 'PUT', json)).status).toBe(400);
  });

  it('do not go to who unsubscribes while they are on their way', async () => {
    const [person] = await people(1);
    await start();
    await (
      await createJob(600)
    )();
    const code = await codeOf(person!);
    announcementId = await announce();
    await start();
    expect((await site.console.request('POST', `/api/mail/unsubscribe?code=${code}`)).status).toBe(200);
    await query('DELETE FROM accounts.mail_outbox');
    await (
      await createJob(600)
    )();
    await handOver();
    expect(received()).not.toContain(await emailOf(person!));
    expect(await mailing()).toMatchObject({ state: 'sent', recipients: 2, queued: 1, skipped: 1 });
  });

  it('go to whom they are for when they are handed over, at the address of then', async () => {
    const [staying, moved, suspended, unproven, earlier] = await people(5);
    const set = (person: SignedIn, change: string) =>
      query(`UPDATE accounts.accounts SET ${change} WHERE id = $1`, [person.accountId]);
    await start();
    // Suspended before its turn, as `suspended` is afterwards.
    await set(earlier!, 'suspended_at = now()');
    await (
      await createJob(600)
    )();
    const before = await Promise.all([moved!, suspended!, unproven!].map(emailOf));
    await set(moved!, "email = 'new-' || email");
    await set(suspended!, 'suspended_at = now()');
    await set(unproven!, "email = 'new-' || email, email_verified_at = NULL");
    expect(await mailing()).toMatchObject({ state: 'sent', queued: 6, skipped: 0 });
    await handOver();
    const all = received();
    expect(all).toEqual(expect.arrayContaining(await Promise.all([operator, staying!, moved!].map(emailOf))));
    for (const address of [...before, await emailOf(unproven!), await emailOf(earlier!)])
      expect(all).not.toContain(address);
    expect(await mailing()).toMatchObject({ state: 'sent', recipients: 6, queued: 3, skipped: 3 });
  });

  it('go to a selection of the addressed accounts', async () => {
    const [user, old, other] = await people(3);
    await settleRequest(site.database.pool, user!.accountId, {
      apiKeyId: user!.apiKeyId,
      model: 'some-model',
      rates: [{ unit: 'per_million_tokens', ratePicos: 0n }],
      usage: { inputTokens: 1, outputTokens: 1 },
    });
    await query("UPDATE accounts.accounts SET created_at = now() - interval '101 days' WHERE id = $1", [
      old!.accountId,
    ]);
    expect(await reached({})).toBe(4);
    expect(await reached({ used_model: 'some-model' })).toBe(1);
    expect(await reached({ used_model: 'other-model' })).toBe(0);
    expect(await reached({ active_within_days: 1 })).toBe(1);
    expect(await reached({ tier: 'old' })).toBe(1);
    expect(await reached({ tier: 'free' })).toBe(3);
    expect(await reached({ tier: 'old', active_within_days: 1 })).toBe(0);
    announcementId = await announce({ audience: 'accounts', account_ids: idsOf(old!, other!) });
    expect(await reached({})).toBe(2);
    expect(await start({ tier: 'old' })).toMatchObject({ recipients: 1, tier: 'old', used_model: null });
    await (
      await createJob(600)
    )();
    expect(await requested()).toEqual(idsOf(old!));
  });

  it('are refused', async () => {
    const statusOf = async (path: string, json: object, person?: SignedIn) =>
      (await post(path, json, person)).status;
    const path = `${announcementId}/mailing`;
    for (const suffix of ['', '/count', '/cancel'])
      expect(await statusOf(`ann_unknown/mailing${suffix}`, {})).toBe(404);
    for (const wrong of [{ tier: 'gold' }, { active_within_days: 0 }, { used_model: '' }, { to: 'all' }])
      expect([wrong, await statusOf(path, wrong)]).toEqual([wrong, 400]);
    expect(await statusOf(path, { used_model: 'nobody-used-it' })).toBe(409);
    expect(await mailing()).toBeNull();
    expect(await statusOf(path, {}, await site.signedIn('support'))).toBe(403);
    const silent = await TestConsole.start(site.database.urlFor('console'));
    const answer = await silent.request('POST', `${ADMIN}/${path}`, { token: operator.token, json: {} });
    await silent.close();
    expect([answer.status, answer.body]).toEqual([409, { error: 'the site sends no mail' }]);
    await post(`${announcementId}/end`);
    expect(await statusOf(path, {})).toBe(409);
  });
});
