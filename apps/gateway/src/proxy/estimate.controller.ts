import { type Currency, CURRENCY_BY_SITE } from '@inference/config';
import { CurrencyProperty, MoneyProperty } from '@inference/dto';
import { type Caller, CurrentCaller } from '@inference/guards';
import { AnyQuery, BodyAs, ExactJsonInterceptor, requireConnected } from '@inference/http';
import { exactNumber, type ExactNumber, picosToDecimal } from '@inference/money';
import { ApiErrors } from '@inference/openapi';
import { Controller, HttpCode, Inject, Post, Req, UseInterceptors } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { type Request } from 'express';
import { PRICES_CONFIG, type PricesConfig } from '../prices.module';
import { AdmissionService } from './admission/admission.service';
import { readAllowsFallbacks } from './request/entrypoint';
import { receiveProxyRequest } from './request/proxy-request';
import { ChatCompletionRequest } from './request/proxy-request.dto';

class EstimateResponse {
  @MoneyProperty({
    description: 'The most that the request can cost at the prices in force.',
    example: 0.0024706,
  })
  worst_case!: ExactNumber;

  @CurrencyProperty()
  currency!: Currency;

  @ApiProperty({
    type: 'integer',
    description:
      'The most tokens of the prompt: a token has at least one byte of the body. With pictures, audio or files the context length of the model.',
    example: 86,
  })
  input_tokens!: number;

  @ApiProperty({
    type: 'integer',
    description:
      'The most tokens of all answers: those that the request, the model or the free money allows, times `n`.',
    example: 16384,
  })
  max_tokens!: number;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description:
      'The limit that the gateway would set for each answer now, because the request names none and more would take over a quarter of the free money. Null if it would set none.',
    example: null,
  })
  output_limit!: number | null;
}

/** The largest cost of a request before it is made. */
@Controller('v1')
@ApiTags('Models')
@AnyQuery()
@BodyAs('unparsed-json')
@UseInterceptors(ExactJsonInterceptor)
export class EstimateController {
  constructor(
    private readonly admissions: AdmissionService,
    @Inject(PRICES_CONFIG) private readonly prices: PricesConfig,
  ) {}

  @Post('chat/completions/estimate')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'estimateChatCompletion',
    summary: 'Returns the most that a conversation can cost.',
    description:
      'Takes the body of `POST /v1/chat/completions`, byte for byte, and computes what the gateway reserves for it. The model is not called, and nothing is reserved or charged.',
  })
  @ApiBody({ type: ChatCompletionRequest })
  @ApiOkResponse({ description: 'The largest cost.', type: EstimateResponse })
  @ApiErrors({
    403: 'The API key may not use the model. `on_behalf_forbidden`: a request with an API key has a header of services.',
    404: 'The model does not exist or is not offered.',
    503: '`database_unavailable`; `busy`: too many large bodies; `exchange_rate_missing`.',
  })
  async estimate(@CurrentCaller() caller: Caller, @Req() http: Request): Promise<EstimateResponse> {
    const { body, res } = http;
    const request = await receiveProxyRequest('chat/completions', body, () => requireConnected(res!));
    const { bounds, worstCasePicos } = await this.admissions.estimate(
      request,
      caller,
      readAllowsFallbacks(http),
    );
    return {
      worst_case: exactNumber(picosToDecimal(worstCasePicos)),
      currency: CURRENCY_BY_SITE[this.prices.site],
      input_tokens: bounds.inputTokens,
      max_tokens: bounds.outputTokens,
      output_limit: bounds.imposed?.tokens ?? null,
    };
  }
}
