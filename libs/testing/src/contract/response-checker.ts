import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import {
  type ApiDocument,
  type DocumentedContent,
  type DocumentedHeader,
  documentedPath,
} from './api-document';
import { withClosedSchemas } from './closed-schemas';
import { parseEvents } from './server-sent-events';

/** A response as the client gets it. */
export interface SentResponse {
  method: string;
  /** The pattern of the route in Express. */
  route: string;
  status: number;
  headers: Record<string, unknown>;
  body: Buffer;
}

const DOCUMENT = 'openapi';
const JSON_TYPE = 'application/json';
const pointer = (...parts: string[]): string =>
  parts.map((part) => `/${encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');

/** Compares responses of a service with its API document. */
export class ResponseChecker {
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
  private readonly validators = new Map<string, ValidateFunction>();

  constructor(private readonly document: ApiDocument) {
    addFormats(this.ajv);
    this.ajv.addFormat('binary', true);
    this.ajv.addSchema(withClosedSchemas(this.document), DOCUMENT);
  }

  /** What the document does not promise, in words; nothing if the response is as documented. */
  faultsOf({ method, route, status, headers, body }: SentResponse): string[] {
    const path = documentedPath(route);
    const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
    const response = this.document.paths[path]?.[verb]?.responses[status];
    if (!response) return [`the status ${status} is not documented`];
    const missing = Object.entries(response.headers ?? {})
      .filter(([name, header]) => this.isRequired(header) && headers[name.toLowerCase()] === undefined)
      .map(([name]) => `the header ${name} is missing`);
    // A redirect has a sentence for people, which no client reads.
    if (method === 'HEAD' || (status >= 300 && status < 400)) return missing;
    if (!response.content) return [...missing, ...(body.length > 0 ? ['a body is not documented'] : [])];
    const contentType = String(headers['content-type'] ?? '');
    const type = contentType.split(';')[0]!.trim();
    const documented = Object.entries(response.content).find(
      ([name]) => name.split(';')[0] === type || name === '*/*',
    );
    if (!documented) return [...missing, `the content type ${type} is not documented`];
    const at = `${pointer('paths', path, verb, 'responses', String(status), 'content', documented[0])}`;
    if (type === JSON_TYPE && contentType !== `${JSON_TYPE}; charset=utf-8`)
      missing.push(`the content type ${contentType} has not the charset utf-8`);
    return [...missing, ...this.bodyFaults(type, documented[1], at, body)];
  }

  private isRequired(header: DocumentedHeader | { $ref: string }): boolean {
    if (!('$ref' in header)) return header.required === true;
    const name = header.$ref.slice(header.$ref.lastIndexOf('/') + 1);
    return this.document.components?.headers?.[name]?.required === true;
  }

  private bodyFaults(type: string, content: DocumentedContent, at: string, body: Buffer): string[] {
    if (type === 'text/event-stream') return this.eventFaults(content, at, body);
    if (!/[/+]json$/.test(type)) return [];
    return this.schemaFaults(`${at}/schema`, body.toString(), 'body');
  }

  private eventFaults(content: DocumentedContent, at: string, body: Buffer): string[] {
    const kinds = content['x-events'];
    if (!kinds) return [];
    return parseEvents(body.toString()).flatMap(({ event, data }) => {
      const kind = kinds[event];
      if (!kind) return [`the event ${event} is not documented`];
      if ((kind.schema as { type?: string }).type === 'string') return [];
      return this.schemaFaults(`${at}/x-events${pointer(event)}/schema`, data, event);
    });
  }

  private schemaFaults(at: string, text: string, what: string): string[] {
    let validate = this.validators.get(at);
    if (!validate) {
      validate = this.ajv.compile({ $ref: `${DOCUMENT}#${at}` });
      this.validators.set(at, validate);
    }
    try {
      if (validate(JSON.parse(text))) return [];
    } catch {
      return [`${what} is not JSON`];
    }
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${what}${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  }
}
