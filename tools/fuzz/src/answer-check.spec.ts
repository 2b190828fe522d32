import { AnswerCheck } from './answer-check';
import { type Answer } from './answers';
import { type DocumentedOperation, type FuzzRequest } from './requests/requests';
import { type OpenApiDocument, type Operation } from './requests/schema';

const operationOf = (operationId: string, security: Operation['security']): Operation => ({
  operationId,
  security,
  responses: { 200: { description: 'OK' }, 401: { description: 'No credential' } },
});
const KEY = [{ api_key: [] }];
const document: OpenApiDocument = {
  paths: {
    '/models': { get: operationOf('list', []), post: operationOf('create', KEY) },
    '/models/{slug}': { get: operationOf('read', [{}, ...KEY]), delete: operationOf('delete', KEY) },
    '/models/{slug}/parts': { get: operationOf('parts', KEY) },
    '/sitemap-{number}.xml': { get: operationOf('sitemap', []) },
  },
};

function targetOf(method: string, path: string): DocumentedOperation {
  const operation = document.paths[path]![method.toLowerCase()]!;
  const { operationId: name } = operation;
  return { name, service: 'memo', origin: 'http://memo', method, path, operation, document };
}
const PARTS = targetOf('GET', '/models/{slug}/parts');
const DELETION = targetOf('DELETE', '/models/{slug}');

const hostile = (target: DocumentedOperation, path: string, changes: Partial<FuzzRequest> = {}) => ({
  target,
  isExemplary: false,
  path,
  query: '',
  isPathSound: false,
  headers: {},
  presented: 'none' as const,
  choice: 0,
  ...changes,
});
const answerOf = (status: number): Answer => ({
  status,
  headers: {},
  body: Buffer.alloc(0),
  isPart: false,
  millis: 1,
});

const check = new AnswerCheck(document);
const faultsOf = (request: FuzzRequest, status = 200) => check.faultsOf(request, answerOf(status), false);

describe('a hostile path', () => {
  it.each(['none', 'garbage'] as const)('may not succeed with the credential %s', (presented) => {
    const request = hostile(PARTS, '/models/%00/parts', { presented });
    expect(faultsOf(request)).toEqual(['status 200 without a credential']);
    expect(faultsOf(request, 204)).toEqual(['status 204 without a credential']);
    expect(faultsOf(request, 401)).toEqual([]);
  });

  it('may succeed with a right credential', () => {
    expect(faultsOf(hostile(PARTS, '/models/%00/parts', { presented: 'right' }))).toEqual([]);
  });

  it.each(['/models/./parts', '/models/../models', '/models/a%2fb', '/models/.', '/sitemap-...xml'])(
    'may lead to an operation that needs no credential: %s',
    (path) => expect(faultsOf(hostile(PARTS, path))).toEqual([]),
  );

  it.each(['/models/../parts', '/models/a/b/c', '/sitemap-1_xml'])(
    'may not lead to anything else: %s',
    (path) => expect(faultsOf(hostile(PARTS, path))).toEqual(['status 200 without a credential']),
  );

  it('may not lead to another method of a public path', () => {
    expect(faultsOf(hostile(DELETION, '/models/x'))).toEqual(['status 200 without a credential']);
  });
});

describe('a sound path', () => {
  it('is answered with 401 without a right credential', () => {
    const request = hostile(PARTS, '/models/x/parts', { isPathSound: true });
    expect(faultsOf(request)).toEqual(['status 200 instead of 401']);
    expect(faultsOf(request, 401)).toEqual([]);
  });
});
