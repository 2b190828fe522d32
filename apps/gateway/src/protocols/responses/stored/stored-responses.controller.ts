import { type Caller, CurrentCaller } from '@inference/guards';
import { AnyQuery, requireConnected } from '@inference/http';
import { ApiErrors, ApiOpenObject } from '@inference/openapi';
import {
  applyDecorators,
  Controller,
  Delete,
  Get,
  Header,
  HttpCode,
  Inject,
  Param,
  Post,
  Req,
  Res,
} from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiQuery, ApiTags, ApiProperty } from '@nestjs/swagger';
import { type Request, type Response } from 'express';
import { TextField } from '@inference/dto';
import { sendAnswer } from '../../../idempotency/kept-answer';
import { PROXY_CONFIG, type ProxyConfig } from '../../../proxy/proxy.config';
import { AnswerMemory } from '../../../upstreams/answer-memory';
import { childOf, choiceAt, refuse } from '../../fields';
import { INCLUDES } from '../responses-request';
import { ResponseResponse } from '../responses.dto';
import { type ListedItem } from './stored-items';
import { type Reserve, StoredResponses } from './stored-responses.service';

class ResponsePath {
  @TextField({ description: 'The response.', example: 'resp_0123456789abcdef' })
  response_id!: string;
}

class DeletedResponse {
  @ApiProperty({ description: 'The response.', example: 'resp_0123456789abcdef' })
  id!: string;

  @ApiProperty({ enum: ['response'], description: 'Always `response`.' })
  object!: 'response';

  @ApiProperty({ enum: [true], description: 'Always true.' })
  deleted!: true;
}

@ApiOpenObject()
class ResponseItem {
  @ApiProperty({ description: 'Names the item.', example: 'msg_0123456789abcdef_0' })
  id!: string;

  @ApiProperty({
    description: '`message`, `reasoning`, `function_call`, `function_call_output` and others.',
    example: 'message',
  })
  type!: string;
}

class ResponseItemListResponse {
  @ApiProperty({ enum: ['list'], description: 'Always `list`.' })
  object!: 'list';

  @ApiProperty({ description: 'The items.', type: [ResponseItem] })
  data!: ResponseItem[];

  @ApiProperty({ type: String, nullable: true, description: 'The first of them.', example: 'msg_1' })
  first_id!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The last of them, for `after`.',
    example: 'msg_1',
  })
  last_id!: string | null;

  @ApiProperty({ description: 'Whether there are more behind them.' })
  has_more!: boolean;
}

const JSON_TYPE = 'application/json; charset=utf-8';
const INVALID = '`invalid_value`: of a parameter. `on_behalf_missing`: a service names no account.';
const ERRORS = {
  404: '`response_not_found`: the response does not exist, was not stored, is deleted or older than 30 days, or belongs to another account. A restricted key finds only what it made itself.',
  503: '`database_unavailable`.',
};
const MOST_ITEMS = 100;
const USUAL_ITEMS = 20;

const ApiInclude = () =>
  ApiQuery({
    name: 'include',
    required: false,
    schema: { type: 'array', items: { type: 'string', enum: INCLUDES } },
    description: 'Has no effect: what is stored is shown whole. Other values than OpenAI’s are refused.',
  });

const ApiItemPage = () =>
  applyDecorators(
    ApiQuery({
      name: 'limit',
      required: false,
      schema: { type: 'integer', minimum: 1, maximum: MOST_ITEMS, default: USUAL_ITEMS },
      description: 'Most items.',
    }),
    ApiQuery({
      name: 'order',
      required: false,
      schema: { type: 'string', enum: ['asc', 'desc'], default: 'desc' },
      description: '`desc`: the latest first.',
    }),
    ApiQuery({
      name: 'after',
      required: false,
      schema: { type: 'string' },
      description: 'The items behind the one of this id.',
    }),
  );

/** Throws InvalidValueError for a value that OpenAI does not know. SDKs write a list as `include[]`. */
function readInclude({ query }: Request): void {
  const given = [query.include ?? [], query['include[]'] ?? []].flat();
  for (const [i, value] of given.entries()) choiceAt(value, childOf('include', i), INCLUDES);
}

/** A page of OpenAI's list as JSON. Throws InvalidValueError. */
function pageOf(items: ListedItem[], { query }: Request): string {
  const { limit = USUAL_ITEMS, order = 'desc', after } = query;
  const count = Number(limit);
  if (!Number.isSafeInteger(count) || count < 1 || count > MOST_ITEMS)
    refuse('limit', `must be an integer from 1 to ${MOST_ITEMS}`);
  const isAscending = choiceAt(order, 'order', ['asc', 'desc']) === 'asc';
  const ordered = isAscending ? items : items.toReversed();
  const start = after === undefined ? 0 : ordered.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && start === 0) refuse('after', 'must be the id of an item of this response');
  const page = ordered.slice(start, start + count);
  const ends = {
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
    has_more: start + count < ordered.length,
  };
  const data = page.map(({ json }) => json).join(',');
  return `{"object":"list","data":[${data}],${JSON.stringify(ends).slice(1)}`;
}

/** Responses that are stored because their account wants it. */
@Controller('v1/responses/:response_id')
@ApiTags('Responses')
@AnyQuery()
export class StoredResponsesController {
  constructor(
    private readonly responses: StoredResponses,
    private readonly memory: AnswerMemory,
    @Inject(PROXY_CONFIG) private readonly config: ProxyConfig,
  ) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  @ApiInclude()
  @ApiQuery({
    name: 'stream',
    required: false,
    schema: { type: 'boolean' },
    description: 'Must not be true: a stored response is complete.',
  })
  @ApiOperation({
    operationId: 'retrieveResponse',
    summary: 'Returns a stored response.',
    description:
      'Responses are stored for 30 days if the owner of the account has switched that on in the settings of the console, and the request does not have `"store": false`.',
  })
  @ApiOkResponse({ description: 'The response as it was sent.', type: ResponseResponse })
  @ApiErrors({ 400: INVALID, ...ERRORS })
  async find(
    @CurrentCaller() caller: Caller,
    @Param() { response_id: id }: ResponsePath,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    readInclude(request);
    if (['true', '1', ''].includes(String(request.query.stream ?? 'false')))
      refuse('stream', 'must not be true, because a stored response is complete: its events are not stored');
    await this.send(caller, response, (reserve) => this.responses.find(caller, id, reserve));
  }

  @Delete()
  @ApiOperation({
    operationId: 'deleteResponse',
    summary: 'Deletes a stored response.',
    description: 'Responses that go on from it stay, but cannot be gone on from any more.',
  })
  @ApiOkResponse({ description: 'It is deleted.', type: DeletedResponse })
  @ApiErrors(ERRORS)
  async delete(
    @CurrentCaller() caller: Caller,
    @Param() { response_id: id }: ResponsePath,
  ): Promise<DeletedResponse> {
    await this.responses.delete(caller, id);
    return { id, object: 'response', deleted: true };
  }

  @Get('input_items')
  @Header('Cache-Control', 'no-store')
  @ApiItemPage()
  @ApiInclude()
  @ApiOperation({
    operationId: 'listResponseInputItems',
    summary: 'Lists what the model was given for a stored response.',
    description:
      'With `previous_response_id` that is also what was said before. Instructions are not part of it.',
  })
  @ApiOkResponse({ description: 'A page of items.', type: ResponseItemListResponse })
  @ApiErrors({ 400: INVALID, ...ERRORS })
  async listItems(
    @CurrentCaller() caller: Caller,
    @Param() { response_id: id }: ResponsePath,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    readInclude(request);
    await this.send(caller, response, async (reserve) =>
      Buffer.from(pageOf(await this.responses.listItems(caller, id, reserve), request)),
    );
  }

  @Post('cancel')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'cancelResponse',
    summary: 'Cancels a response that is made in the background.',
    description: 'There is none here, because `background` is refused: the answer is always an error.',
  })
  @ApiErrors({
    400: '`synchronous_response`: it is complete. `on_behalf_missing`: a service names no account.',
    ...ERRORS,
  })
  cancel(@CurrentCaller() caller: Caller, @Param() { response_id: id }: ResponsePath): Promise<never> {
    return this.responses.cancel(caller, id);
  }

  /** Sends what is read within the memory for long answers, which a client that does not read keeps for a short time only. */
  private async send(
    { accountId }: Caller,
    response: Response,
    read: (reserve: Reserve) => Promise<Buffer>,
  ): Promise<void> {
    requireConnected(response);
    const memory = this.memory.begin(accountId);
    response.once('close', () => memory.release());
    let readBytes = 0;
    try {
      const body = await read((bytes) => memory.arrived((readBytes += bytes)));
      const stallMillis = this.config.clientStallTimeoutSeconds * 1000;
      const headers = { 'Content-Type': JSON_TYPE };
      await sendAnswer({ status: 200, headers, body }, response, stallMillis, accountId);
    } finally {
      memory.release();
    }
  }
}
