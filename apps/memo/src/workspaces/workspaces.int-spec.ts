import { MemoSite, type Person } from '../memo.fixture';
import { type WorkspaceResponse } from './workspace.dto';

const MOST = 12;
let site: MemoSite;
let owner: Person;
let stranger: Person;

beforeAll(async () => {
  site = await MemoSite.start({ environment: { MAX_ACCOUNT_WORKSPACES: String(MOST) } });
  [owner, stranger] = await Promise.all([site.person(), site.person()]);
});
afterAll(() => site?.stop());

const GONE: [number, string] = [404, 'no such workspace'];

it('makes the creator of a workspace its admin', async () => {
  const made = await owner.json<WorkspaceResponse>('POST', '', { name: '  Handbuch 手册 ' }, 201);
  expect(made).toEqual({
    id: expect.stringMatching(/^ws_\w{22}$/) as string,
    name: 'Handbuch 手册',
    role: 'admin',
    created_by: owner.accountId,
    document_count: 0,
    bytes: 0,
    created_at: made.updated_at,
    updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
  });
  expect(await owner.json('GET', `/${made.id}`)).toEqual(made);
});

it('lists the workspaces of a member, newest first, in pages', async () => {
  const member = await site.person();
  const ids: string[] = [];
  for (const name of ['a', 'b', 'c']) ids.unshift(await member.newWorkspace(name));
  interface Page {
    workspaces: WorkspaceResponse[];
    next_cursor: string | null;
  }
  const first = await member.json<Page>('GET', '?limit=2');
  const second = await member.json<Page>('GET', `?limit=2&cursor=${first.next_cursor}`);
  expect([...first.workspaces, ...second.workspaces].map(({ id }) => id)).toEqual(ids);
  expect(second.next_cursor).toBeNull();
  expect(await stranger.json('GET', '')).toEqual({ workspaces: [], next_cursor: null });
  expect(await stranger.refusal('GET', `?cursor=${first.next_cursor}`)).toEqual([
    400,
    'cursor: is not valid',
  ]);
});

it('lets admins rename a workspace', async () => {
  const id = await owner.newWorkspace();
  expect(await owner.json('PATCH', `/${id}`, { name: 'New' })).toMatchObject({ id, name: 'New' });
  const viewer = await site.person();
  await owner.addMember(id, viewer, 'editor');
  expect(await viewer.refusal('PATCH', `/${id}`, { name: 'Mine' })).toEqual([
    403,
    'this needs the role admin',
  ]);
  expect(await viewer.json('GET', `/${id}`)).toMatchObject({ name: 'New', role: 'editor' });
});

it('deletes a workspace with everything in it', async () => {
  const id = await owner.newWorkspace();
  const { key } = await owner.json<{ key: string }>('POST', `/${id}/keys`, { name: 'k' }, 201);
  const viewer = await site.person();
  await owner.addMember(id, viewer, 'viewer');
  expect(await viewer.refusal('DELETE', `/${id}`)).toEqual([403, 'this needs the role admin']);
  await owner.json('DELETE', `/${id}`, undefined, 204);
  for (const person of [owner, viewer]) expect(await person.refusal('GET', `/${id}`)).toEqual(GONE);
  expect((await owner.withKey(key).refusal('GET', `/${id}`))[0]).toBe(401);
});

it.each([
  ['no body', undefined, 'name: is missing'],
  ['no name', {}, 'name: is missing'],
  ['an empty name', { name: ' ' }, 'name: must not be empty'],
  ['a long name', { name: 'x'.repeat(201) }, 'name: must have at most 200 characters'],
  ['a name that is none', { name: 7 }, 'name: must be a text'],
  ['more', { name: 'x', owner: 'me' }, 'owner: is not known here'],
])('refuses %s', async (_what, body, error) => {
  expect(await owner.refusal('POST', '', body)).toEqual([400, error]);
});

it('refuses query parameters that it does not know', async () => {
  const id = await owner.newWorkspace();
  for (const path of [`/${id}?deep=1`, '?page=2', `/${id}/members?page=2`])
    expect((await owner.refusal('GET', path))[0]).toBe(400);
});

it('describes its API', async () => {
  const document = await fetch(`${site.url}/openapi.json`);
  expect([document.status, await document.json()]).toEqual([
    200,
    expect.objectContaining({ openapi: '3.1.0' }),
  ]);
  expect((await fetch(`${site.url}/docs`)).status).toBe(200);
});

it('limits how many workspaces an account creates, not how many it is a member of', async () => {
  const maker = await site.person();
  const guests = await owner.newWorkspace();
  await owner.addMember(guests, maker, 'admin');
  const answers = await Promise.all(
    Array.from({ length: MOST + 4 }, () => maker.call('POST', '', { name: 'One more' })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([
    ...Array<number>(MOST).fill(201),
    ...Array<number>(4).fill(409),
  ]);
  const refusal = [409, `an account makes ${MOST} workspaces at most; delete one first`];
  expect(await maker.refusal('POST', '', { name: 'One more' })).toEqual(refusal);
  const { id } = (await answers.find(({ ok }) => ok)!.json()) as { id: string };
  await maker.json('DELETE', `/${guests}`, undefined, 204);
  expect(await maker.refusal('POST', '', { name: 'One more' })).toEqual(refusal);
  await maker.json('DELETE', `/${id}`, undefined, 204);
  await maker.newWorkspace();
});

it('does not exist for a caller who is not a member', async () => {
  const id = await owner.newWorkspace();
  for (const [method, path, body] of [
    ['GET', '', undefined],
    ['PATCH', '', { name: 'Mine' }],
    ['DELETE', '', undefined],
    ['GET', '/members', undefined],
    ['GET', '/invitations', undefined],
    ['POST', '/invitations', { email: stranger.email, role: 'admin' }],
    ['DELETE', '/invitations/inv_unknown', undefined],
    ['PATCH', `/members/${owner.accountId}`, { role: 'viewer' }],
    ['DELETE', `/members/${owner.accountId}`, undefined],
    ['GET', '/keys', undefined],
    ['POST', '/keys', { name: 'k' }],
    ['DELETE', '/keys/wk_unknown', undefined],
  ] as const)
    expect([path, await stranger.refusal(method, `/${id}${path}`, body)]).toEqual([path, GONE]);
  for (const id of ['ws_unknown', 'ws_%00', 'ws_', 'x', `ws_${'x'.repeat(65)}`]) {
    expect(await owner.refusal('GET', `/${id}`)).toEqual(GONE);
    expect(await owner.refusal('POST', `/${id}/documents`, {})).toEqual(GONE);
    expect(await owner.refusal('POST', `/${id}/chat`, {})).toEqual(GONE);
  }
});

it('is closed to staff without a second factor', async () => {
  const lacking = await site.person(undefined, { role: 'support', secondFactor: null });
  expect(await lacking.refusal('GET', '')).toEqual([
    403,
    'staff must have a second factor: set one up with POST /api/auth/2fa/setup, or sign in with it',
  ]);
  const whole = await site.person(undefined, { role: 'support' });
  expect(await whole.json('GET', '')).toMatchObject({ workspaces: [] });
});
