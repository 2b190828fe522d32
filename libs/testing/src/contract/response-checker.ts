import addFormats from 'ajv-formats';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';
import { createParser } from 'eventsource-parser';
import {
  type ApiDocument,
  type DocumentedContent,
  type DocumentedHeader,
  documentedPath,
  findResponse,
  nameOf,
  type Reference,
} from './api-document';

type Node = Record<string, unknown>;

const isObject = (value: unknown): value is Node =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/**
 * Copies a document so that objects may have no members that it does not describe. Clients must expect new members, but a test
 * must find those that nobody has described.
 */
function withClosedSchemas<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map((entry) => withClosedSchemas<unknown>(entry)) as Value;
  if (!isObject(value)) return value;
  const copy: Node = Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, withClosedSchemas(inner)]),
  );
  const isClosable = isObject(copy.properties) && copy.additionalProperties === undefined;
  return (isClosable ? { ...copy, additionalProperties: false } : copy) as Value;
}

const DOCUMENT = 'openapi';

/** The JSON pointer to a node of a document, as part of a URL. */
export const pointer = (...parts: string[]): string =>
  parts.map((part) => `/${encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');

/** Compares values with the schemas of an API document. */
export class SchemaChecker {
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
  private readonly validators = new Map<string, ValidateFunction>();

  constructor(document: ApiDocument) {
    addFormats(this.ajv);
    this.ajv.addFormat('binary', true);
    this.ajv.addFormat('idn-email', true);
    this.ajv.addSchema(withClosedSchemas(document), DOCUMENT);
  }

  /** What the schema at a pointer does not allow. @param what name of the value in the faults */
  faultsOf(at: string, value: unknown, what: string): string[] {
    let validate = this.validators.get(at);
    if (!validate) {
      validate = this.ajv.compile({ $ref: `${DOCUMENT}#${at}` });
      this.validators.set(at, validate);
    }
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${what}${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  }

  /** What `x-events` of the content at a pointer does not allow in a stream of server-sent events. */
  eventFaultsOf(at: string, content: DocumentedContent, stream: string): string[] {
    const kinds = content['x-events'];
    if (!kinds) return [];
    return parseEvents(stream).flatMap(({ event, data }) => {
      const kind = kinds[event];
      if (!kind) return [`the event ${event} is not documented`];
      if ((kind.schema as { type?: string }).type === 'string') return [];
      return this.faultsOf(`${at}/x-events${pointer(event)}/schema`, jsonOr(data, data), event);
    });
  }
}

/** Parses JSON; returns the fallback for any other text. */
function jsonOr(fallback: unknown, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return fallback;
  }
}

export interface SentEvent {
  /** `message` for an event without a name. */
  event: string;
  data: string;
}

/** The complete events of a stream. */
function parseEvents(text: string): SentEvent[] {
  const events: SentEvent[] = [];
  const parser = createParser({
    onEvent: ({ event = 'message', data }) => void events.push({ event, data }),
  });
  parser.feed(text);
  return events;
}

/** A response as the client gets it. */
export interface SentResponse {
  method: string;
  /** The pattern of the route in Express. */
  route: string;
  status: number;
  headers: Record<string, unknown>;
  /** Absent if only the status and the headers are compared. */
  body?: Buffer;
}

const JSON_TYPE = 'application/json';

/** Compares responses of a service with its API document. */
export class ResponseChecker {
  private readonly schemas: SchemaChecker;

  constructor(private readonly document: ApiDocument) {
    this.schemas = new SchemaChecker(document);
  }

  /** What the document does not promise, in words; nothing if the response is as documented. */
  faultsOf({ method, route, status, headers, body }: SentResponse): string[] {
    const path = documentedPath(route);
    const answerOf = (verb: string) => findResponse(this.document, { path, verb, status });
    // Express answers HEAD by the handler of GET, unless there is one of its own.
    const found = answerOf(method.toLowerCase()) ?? (method === 'HEAD' ? answerOf('get') : undefined);
    if (!found) return [`the status ${status} is not documented`];
    const { response, place } = found;
    const missing = Object.entries(response.headers ?? {})
      .filter(([name, header]) => this.isRequired(header) && headers[name.toLowerCase()] === undefined)
      .map(([name]) => `the header ${name} is missing`);
    // A redirect has a sentence for people, which no client reads.
    if (method === 'HEAD' || (status >= 300 && status < 400)) return missing;
    if (!response.content) return [...missing, ...(body?.length ? ['a body is not documented'] : [])];
    const contentType = String(headers['content-type'] ?? '');
    const type = contentType.split(';')[0]!.trim();
    const documented = Object.entries(response.content).find(
      ([name]) => name.split(';')[0] === type || name === '*/*',
    );
    if (!documented) return [...missing, `the content type ${type} is not documented`];
    const at = `${pointer(...place, 'content', documented[0])}`;
    if (type === JSON_TYPE && contentType !== `${JSON_TYPE}; charset=utf-8`)
      missing.push(`the content type ${contentType} has not the charset utf-8`);
    return body ? [...missing, ...this.bodyFaults(type, documented[1], at, body)] : missing;
  }

  private isRequired(header: DocumentedHeader | Reference): boolean {
    if (!('$ref' in header)) return header.required === true;
    return this.document.components?.headers?.[nameOf(header)]?.required === true;
  }

  private bodyFaults(type: string, content: DocumentedContent, at: string, body: Buffer): string[] {
    const text = body.toString();
    if (type === 'text/event-stream') return this.schemas.eventFaultsOf(at, content, text);
    if (!/[/+]json$/.test(type)) return [];
    const value = jsonOr(undefined, text);
    return value === undefined ? ['body is not JSON'] : this.schemas.faultsOf(`${at}/schema`, value, 'body');
  }
}
