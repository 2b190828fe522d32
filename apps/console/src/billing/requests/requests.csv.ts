import { csvLine } from '@inference/http';
import { type RequestResponse } from './requests.dto';

const COLUMNS: [name: string, valueOf: (request: RequestResponse) => string][] = [
  ['id', ({ id }) => id],
  ['created_at', (request) => request.created_at],
  ['started_at', (request) => request.started_at],
  ['model', ({ model }) => model],
  ['api_key_id', (request) => request.api_key?.id ?? ''],
  ['api_key_name', (request) => request.api_key?.name ?? ''],
  ['entrypoint', ({ entrypoint }) => entrypoint],
  ['input_tokens', (request) => String(request.input_tokens)],
  ['output_tokens', (request) => String(request.output_tokens)],
  ['estimated', ({ estimated }) => String(estimated)],
  ['cost', ({ cost }) => cost.toString()],
  ['currency', ({ currency }) => currency],
  ['outcome', ({ outcome }) => outcome],
];

const HEADER = csvLine(COLUMNS.map(([name]) => name));

/** Renders the calls as CSV: a header, then one line per call, with the texts of the JSON. */
export async function* requestsCsv(pages: AsyncIterable<RequestResponse[]>): AsyncGenerator<string> {
  yield HEADER;
  for await (const requests of pages)
    yield requests.map((request) => csvLine(COLUMNS.map(([, valueOf]) => valueOf(request)))).join('');
}
