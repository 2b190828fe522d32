import { type Platform } from './platform';
import { type DocumentedOperation } from '../requests/requests';
import { type OpenApiDocument } from '../requests/schema';

/** The services in the order in which a round tests them: the console last, because its administrators change prices. */
const SERVICES = [
  { service: 'gateway', url: 'gateway', document: '/openapi.json' },
  { service: 'agent', url: 'agent', document: '/openapi.json' },
  { service: 'memo', url: 'memo', document: '/openapi.json' },
  { service: 'training', url: 'training', document: '/openapi.json' },
  { service: 'router-cost', url: 'routerCost', document: '/openapi.json' },
  { service: 'agent-environments', url: 'agentEnvironments', document: '/openapi.json' },
  { service: 'console', url: 'console', document: '/api/openapi.json' },
];

/** Reads the API documents of all services. */
export async function readOperations({ urls }: Platform): Promise<DocumentedOperation[]> {
  const operations: DocumentedOperation[] = [];
  for (const { service, url, document: path } of SERVICES) {
    const origin = urls[url]!;
    const document = (await (await fetch(origin + path)).json()) as OpenApiDocument;
    const ofService = Object.entries(document.paths).flatMap(([pattern, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        name: `${service} ${operation.operationId}`,
        service,
        origin,
        method: method.toUpperCase(),
        path: pattern,
        operation,
        document,
      })),
    );
    operations.push(...ofService.sort((a, b) => deletionOrder(a) - deletionOrder(b)));
  }
  return operations;
}

/** What is deleted is no longer there for others: deletions come last, and that of a whole after those of its parts. */
const deletionOrder = ({ method, path }: DocumentedOperation): number =>
  method === 'DELETE' ? 1 / path.length : 0;
