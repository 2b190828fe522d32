import { KnownPaths } from './known-paths';
import { type DocumentedOperation } from '../requests/requests';

const operation = (method: string, path: string): DocumentedOperation => ({
  name: `memo ${method} ${path}`,
  service: 'memo',
  origin: 'http://memo',
  method,
  path,
  operation: { operationId: `${method} ${path}`, responses: {} },
  document: { paths: {} },
});
const WORKSPACES = operation('GET', '/v1/workspaces');
const WORKSPACE = operation('DELETE', '/v1/workspaces/{workspace_id}');
const DOCUMENTS = operation('POST', '/v1/workspaces/{workspace_id}/documents');
const TEXT = operation('GET', '/v1/workspaces/{workspace_id}/documents/{document_id}/text');
const UNKNOWN_TEXT = '/v1/workspaces/x/documents/y/text';

const isNone = () => false;

describe('KnownPaths', () => {
  let paths: KnownPaths;
  const textPath = () => paths.replaceIn(TEXT, UNKNOWN_TEXT, 0, isNone);

  beforeEach(() => {
    paths = new KnownPaths([WORKSPACES, WORKSPACE, DOCUMENTS, TEXT]);
  });

  it('leaves a path of which nothing is known as it is', () => {
    expect(textPath()).toBe(UNKNOWN_TEXT);
  });

  it('takes what a list names', () => {
    paths.learn(WORKSPACES, '/v1/workspaces', { workspaces: [{ id: 'ws_1' }], next_cursor: null });
    expect(textPath()).toBe('/v1/workspaces/ws_1/documents/y/text');
  });

  it('takes what was created, in the place where it was created', () => {
    paths.learn(WORKSPACES, '/v1/workspaces', { workspaces: [{ id: 'ws_1' }, { id: 'ws_2' }] });
    paths.learn(DOCUMENTS, '/v1/workspaces/ws_2/documents', { id: 'doc_1' });
    expect(textPath()).toBe('/v1/workspaces/ws_2/documents/doc_1/text');
  });

  it('takes parts that a response names', () => {
    const detail = operation('GET', '/models/{slug}');
    paths = new KnownPaths([detail, operation('DELETE', '/models/{slug}/packages/{version}')]);
    paths.learn(detail, '/models/llama', { packages: [{ version: '1.0' }] });
    const part = operation('DELETE', '/models/{slug}/packages/{version}');
    expect(paths.replaceIn(part, '/models/x/packages/y', 0, isNone)).toBe('/models/llama/packages/1.0');
  });

  it('takes a link with its query', () => {
    const file = operation('GET', '/files/{key}');
    paths = new KnownPaths([file]);
    paths.learnLink('memo', '/files/1?signature=2');
    expect(paths.replaceIn(file, '/files/x', 0, isNone)).toBe('/files/1?signature=2');
  });

  it('forgets what was deleted, and what was below it', () => {
    paths.learn(DOCUMENTS, '/v1/workspaces/ws_1/documents', { id: 'doc_1' });
    paths.learn(DOCUMENTS, '/v1/workspaces/ws_12/documents', { id: 'doc_2' });
    paths.forget(WORKSPACE, '/v1/workspaces/ws_1');
    expect(textPath()).toBe('/v1/workspaces/ws_12/documents/doc_2/text');
  });

  it('leaves out what is excluded', () => {
    paths.learn(WORKSPACES, '/v1/workspaces', { workspaces: [{ id: 'ws_1' }, { id: 'ws_2' }] });
    const replaced = paths.replaceIn(WORKSPACE, '/v1/workspaces/x', 0, (id) => id === 'ws_1');
    expect(replaced).toBe('/v1/workspaces/ws_2');
  });
});
