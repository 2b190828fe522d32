import { Readable } from 'node:stream';
import { csvLine } from '@inference/http';
import { stringifyExact } from '@inference/money';
import {
  applyDecorators,
  BadRequestException,
  type CallHandler,
  type ExecutionContext,
  Header,
  type NestInterceptor,
  StreamableFile,
  type Type,
  UseInterceptors,
} from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, getSchemaPath } from '@nestjs/swagger';
import { type Request } from 'express';
import { firstValueFrom, from, type Observable } from 'rxjs';

/** As many rows as a page may have. */
const PAGE = '100';

type Row = Record<string, unknown>;
type Page = Record<string, unknown> & { next_cursor?: string | null };
type ReadPage = (page: Request['query']) => Promise<Page>;

interface ListOptions<Body> {
  /** Of the page as JSON. */
  description: string;
  type: Type<Body>;
  /** The field of the page that holds its rows, or a single one. */
  rows: keyof Body & string;
  /** Fields of a row; `account.email` is a field of a field, and of a list of objects that field of each, separated by spaces. */
  columns: readonly string[];
  /** A field of a row that holds a list: the file has a line for each entry, whose fields are columns such as `prices.unit`. */
  each?: string;
  /** Whether the list has no cursor, and `limit` caps it: the file has as many rows as the largest page. */
  isCut?: boolean;
  /** Most rows of the file, of a list without an end: the newest. */
  mostRows?: number;
}

type CsvOptions = Pick<ListOptions<Page>, 'columns' | 'rows' | 'each' | 'isCut' | 'mostRows'>;

/** A list that answers a page as JSON, and all of it as CSV for `Accept: text/csv`. */
export const ListOrCsv = <Body>({ description, type, ...csv }: ListOptions<Body>): MethodDecorator =>
  applyDecorators(
    Header('Cache-Control', 'no-store'),
    Header('Vary', 'Accept'),
    UseInterceptors(new CsvListInterceptor(csv)),
    ApiExtraModels(type),
    ApiOkResponse({
      description: `${description} With \`Accept: text/csv\`: ${csv.mostRows === undefined ? 'all rows that the pages have' : `the newest ${csv.mostRows} rows`}.`,
      content: {
        'application/json': { schema: { $ref: getSchemaPath(type) } },
        'text/csv': {
          schema: { type: 'string', description: 'RFC 4180: a header line, then a line per row.' },
          example: csvLine(csv.columns),
        },
      },
    }),
  );

/** Calls the handler of a list for one page after another, each with the cursor of the page before. */
class CsvListInterceptor implements NestInterceptor {
  constructor(private readonly options: CsvOptions) {}

  intercept(context: ExecutionContext, next: CallHandler<Page>): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request>();
    if (request.accepts(['json', 'csv']) !== 'csv') return next.handle();
    const { query } = request;
    for (const name of ['limit', 'cursor'])
      if (query[name] !== undefined) throw new BadRequestException(`${name}: a CSV list has no pages`);
    // Nest reads the parameters of a handler anew for each subscription.
    const readPage: ReadPage = (page) => {
      Object.defineProperty(request, 'query', { value: { ...query, ...page }, configurable: true });
      return firstValueFrom(next.handle());
    };
    return from(this.export(readPage));
  }

  /** Reads the first page at once, so that its refusal is the answer. */
  private async export(readPage: ReadPage): Promise<StreamableFile> {
    const lines = this.lines(await readPage(this.options.isCut ? { limit: PAGE } : {}), readPage);
    return (
      new StreamableFile(Readable.from(lines), { type: 'text/csv; charset=utf-8' })
        // A client sees that the list is not complete.
        .setErrorHandler((_error, response) => response.destroy?.())
    );
  }

  private async *lines(first: Page, readPage: ReadPage): AsyncGenerator<string> {
    const { columns, mostRows = Infinity } = this.options;
    let left = mostRows;
    yield csvLine(columns);
    for (let page = first; ; page = await readPage({ cursor: page.next_cursor, limit: PAGE })) {
      const rows = this.rowsOf(page).slice(0, left);
      left -= rows.length;
      yield rows.map((row) => csvLine(columns.map((column) => cellOf(row, column)))).join('');
      if (!page.next_cursor || left === 0) return;
    }
  }

  private rowsOf(page: Page): Row[] {
    const { rows, each } = this.options;
    const found = [page[rows] ?? []].flat() as Row[];
    if (each === undefined) return found;
    return found.flatMap((row) => {
      const entries = row[each] as Row[];
      return (entries.length > 0 ? entries : [{}]).map((entry) => ({ ...row, [each]: entry }));
    });
  }
}

const fieldOf = (value: unknown, name: string): unknown =>
  Array.isArray(value)
    ? value.map((entry) => fieldOf(entry, name))
    : (value as Row | null | undefined)?.[name];

/** As JSON shows it; null and absent are an empty cell. */
function cellOf(row: Row, column: string): string {
  const value = column.split('.').reduce<unknown>(fieldOf, row);
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(String).join(' ');
  return typeof value === 'object' ? stringifyExact(value) : String(value);
}
