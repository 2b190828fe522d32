import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { type ApiDocument, type DocumentedContent } from './api-document';
import { withClosedSchemas } from './closed-schemas';
import { parseEvents } from './server-sent-events';

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
export function jsonOr(fallback: unknown, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return fallback;
  }
}
