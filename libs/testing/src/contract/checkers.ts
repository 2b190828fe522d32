import { readApiDocument } from './api-document';
import { ResponseChecker } from './response-checker';

const KEY = Symbol.for('response checkers');

/**
 * Compares responses of a service with its API document. There is one for all test files of a worker, because the schemas of a
 * document take a third of a second to compile.
 */
export function checkerOf(service: string): ResponseChecker {
  // The environment of the tests makes the map; everything else that a test file adds to `globalThis` is removed at its end.
  const checkers = ((globalThis as { [KEY]?: Map<string, ResponseChecker> })[KEY] ??= new Map());
  const known = checkers.get(service) ?? new ResponseChecker(readApiDocument(service));
  checkers.set(service, known);
  return known;
}
