import { Figure } from '../../figures/figure';
import { type Workspace } from './workspace-queries';
import { workspaceKeyViewIn, workspaceViewIn } from './workspace-search';
import { chosenWorkspaceKeys, chosenWorkspaces, type WorkspaceKey } from './workspace-view';

const workspace = (name: string, day: number, documents: string, bytes: string) =>
  ({
    name,
    created_at: `2026-01-0${day}T00:00:00Z`,
    document_count: Figure.of(documents),
    bytes: Figure.of(bytes),
  }) as Workspace;
const WORKSPACES = [
  workspace('Team 10', 1, '2', '30'),
  workspace('team 9', 3, '10', '20'),
  workspace('员工手册', 2, '1', '100'),
];
const workspacesOf = (search: object) =>
  chosenWorkspaces([...WORKSPACES], workspaceViewIn(search as never)).map(({ name }) => name);

describe('the workspaces that an address chooses', () => {
  it.each([
    [{}, ['team 9', '员工手册', 'Team 10']],
    [{ sort: 'name' }, ['team 9', 'Team 10', '员工手册']],
    [{ sort: 'documents' }, ['team 9', 'Team 10', '员工手册']],
    [{ sort: 'size' }, ['员工手册', 'Team 10', 'team 9']],
    [{ q: 'TEAM 1' }, ['Team 10']],
    [{ q: '手册' }, ['员工手册']],
    [{ q: 'nothing of this' }, []],
  ])('of %j', (search, names) => {
    expect(workspacesOf(search)).toEqual(names);
  });
});

const key = (name: string, day: number, used: string | null) =>
  ({
    name,
    prefix: `sk_${name.at(-1)}ABC`,
    created_at: `2026-01-0${day}T00:00:00Z`,
    last_used_at: used,
  }) as WorkspaceKey;
const KEYS = [
  key('site 10', 1, null),
  key('Site 9', 3, '2026-02-01T00:00:00Z'),
  key('网站', 2, '2026-03-01T00:00:00Z'),
];
const keysOf = (search: object) =>
  chosenWorkspaceKeys([...KEYS], workspaceKeyViewIn(search as never)).map(({ name }) => name);

describe('the keys of a workspace that an address chooses', () => {
  it.each([
    [{}, ['Site 9', '网站', 'site 10']],
    [{ sort: 'name' }, ['Site 9', 'site 10', '网站']],
    [{ sort: 'used' }, ['网站', 'Site 9', 'site 10']],
    [{ q: 'SITE' }, ['Site 9', 'site 10']],
    [{ q: 'sk_9abc-the-rest-of-a-secret' }, ['Site 9']],
    [{ q: 'nothing of this' }, []],
  ])('of %j', (search, names) => {
    expect(keysOf(search)).toEqual(names);
  });
});
