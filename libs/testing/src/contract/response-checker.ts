import {
  type ApiDocument,
  type DocumentedContent,
  type DocumentedHeader,
  documentedPath,
  findResponse,
  nameOf,
  type Reference,
} from './api-document';
import { jsonOr, pointer, SchemaChecker } from './schema-checker';

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
    const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
    const found = findResponse(this.document, { path, verb, status });
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
