import { STATUS_CODES } from 'node:http';
import { type OpenAPIObject } from '@nestjs/swagger';
import { type DocumentedResponse, operationsOf } from './complete-responses';

/** As many words of its description as tell one error from the others of its status. */
const LEAST_WORDS = 4;

interface RepeatedError {
  status: string;
  response: DocumentedResponse;
  places: Record<string, unknown>[];
}

/**
 * Moves each error answer that several operations give to `components.responses`. Its name is that of its status, and, if others of
 * the status are given more often, the beginning of its description: `NotFound`, `NotFoundThereIsNoSuchModel`.
 */
export function nameRepeatedErrors(document: OpenAPIObject): void {
  const repeated = findErrors(document).filter(({ places }) => places.length > 1);
  const named = new Map<string, DocumentedResponse>();
  for (const { status, response, places } of repeated) {
    const name = freeName(named, status, response.description);
    named.set(name, response);
    for (const responses of places) responses[status] = { $ref: `#/components/responses/${name}` };
  }
  if (named.size === 0) return;
  const responses = Object.fromEntries([...named].sort(([a], [b]) => (a < b ? -1 : 1)));
  document.components = { ...document.components, responses: responses as never };
}

/** The different error answers, the most frequent first. */
function findErrors(document: OpenAPIObject): RepeatedError[] {
  const errors = new Map<string, RepeatedError>();
  for (const { responses } of operationsOf(document))
    for (const [status, response] of Object.entries(responses)) {
      if (Number(status) < 400) continue;
      const key = status + JSON.stringify(response);
      const error = errors.get(key) ?? { status, response, places: [] };
      error.places.push(responses);
      errors.set(key, error);
    }
  return [...errors.values()].sort(
    (a, b) => b.places.length - a.places.length || (a.response.description < b.response.description ? -1 : 1),
  );
}

function freeName(named: Map<string, unknown>, status: string, description: string): string {
  const name = (STATUS_CODES[status] ?? status).replace(/\W/g, '');
  if (!named.has(name)) return name;
  const words = (description.match(/[A-Za-z0-9]+/g) ?? []).map(
    (word) => word[0]!.toUpperCase() + word.slice(1),
  );
  for (let count = LEAST_WORDS; count <= words.length; count++) {
    const longer = name + words.slice(0, count).join('');
    if (!named.has(longer)) return longer;
  }
  // The same description with another body.
  for (let number = 2; ; number++) if (!named.has(name + number)) return name + number;
}
