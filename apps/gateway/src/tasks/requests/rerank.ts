import { AT_ONCE_BYTES, type SteppedWork, workInSlices, writeJson } from '@inference/http';
import { estimateTokens } from '@inference/tokens';
import { readReportedUsage, type ReportedUsage } from '../../proxy/usage/reported-usage';
import { type Fields, type Task } from '../task';
import { RerankRequest } from '../tasks.dto';
import { fieldsOf, jsonReader, readObject } from './json-request';

/** As Cohere defines a search: a query with up to 100 documents, where each 500 tokens of a longer one count as a document. */
const DOCUMENTS_OF_A_SEARCH = 100;
const TOKENS_OF_A_DOCUMENT = 500;

const read = jsonReader(RerankRequest, ['documents']);

/** The documents as texts. */
function* textsOf(documents: readonly unknown[], bodyBytes: number): SteppedWork<string[]> {
  const texts: string[] = [];
  for (const document of documents) {
    yield;
    if (typeof document === 'string') texts.push(document);
    else if (bodyBytes <= AT_ONCE_BYTES) texts.push(JSON.stringify(document));
    else texts.push((yield* writeJson(document, WRITTEN)).toString());
  }
  return texts;
}

/** A document is no longer than the body, twice at most with other escapes. */
const WRITTEN = { expectedBytes: 1_024, mostBytes: Infinity, tooLong: () => new Error('unexpected') };

/** Puts documents in the order of what a query looks for, in the shapes of Cohere and Jina, which vLLM and others take over. */
export const RERANK: Task = {
  endpoint: 'rerank',
  counts: 'searches, tokens of its input or requests',
  pricedBy: ['per_search', 'per_million_input_tokens', 'per_million_tokens', 'per_request'],
  async read(taskBody, onModel) {
    const { raw, body, bodyFor } = await read(taskBody, onModel);
    const { query, documents } = body;
    const queryBytes = Buffer.byteLength(query);
    const texts = await workInSlices(raw.length, textsOf(documents, raw.length), taskBody.requireClient);
    const pieces = texts.reduce(
      (sum, text) =>
        sum + Math.max(1, Math.ceil((Buffer.byteLength(text) + queryBytes) / TOKENS_OF_A_DOCUMENT)),
      0,
    );
    return {
      model: body.model,
      bodyFor,
      bounds: {
        // A model reads the query once for each document.
        inputTokens: raw.length + queryBytes * documents.length,
        outputTokens: 0,
        counts: { search: Math.max(1, Math.ceil(pieces / DOCUMENTS_OF_A_SEARCH)) },
      },
      asked: () => ({
        search: Math.max(1, Math.ceil(documents.length / DOCUMENTS_OF_A_SEARCH)),
        input: estimateTokens(query) * documents.length + estimateTokens(texts),
      }),
      read: (bytes) =>
        readObject(bytes, (answer) =>
          Array.isArray(answer.results) || Array.isArray(answer.data)
            ? { reported: reportedBy(answer), produced: {} }
            : null,
        ),
    };
  },
};

/** Cohere reports in `meta`, the others in `usage`. */
function reportedBy(answer: Fields): ReportedUsage | null {
  const meta = fieldsOf(answer.meta);
  const billed = fieldsOf(meta.billed_units);
  const usage = {
    num_search_queries: billed.search_units,
    input_tokens: fieldsOf(meta.tokens).input_tokens ?? billed.input_tokens,
    ...fieldsOf(answer.usage),
  };
  const reported = readReportedUsage({ usage: { output_tokens: 0, ...usage } });
  return reported && { ...reported, output: {} };
}
