import { AnyQuery, BodyAs, Public } from '@inference/http';
import { ApiErrors, ErrorResponse } from '@inference/openapi';
import {
  applyDecorators,
  Controller,
  HttpCode,
  NotFoundException,
  Param,
  Post,
  Req,
  Res,
  type Type,
} from '@nestjs/common';
import {
  ApiExtraModels,
  ApiHeader,
  ApiOperation,
  type ApiOperationOptions,
  ApiResponse,
  ApiTags,
  getSchemaPath,
  ApiProperty,
} from '@nestjs/swagger';
import { type Request, type Response } from 'express';
import { ChoiceField } from '@inference/dto';
import { PaymentProviders } from '../payment-providers/payment-providers';
import { WebhooksService } from './webhooks.service';
import { PAYMENT_PROVIDERS, type PaymentProviderName } from '../payment-providers/payment-provider';

class WebhookPath {
  @ChoiceField(PAYMENT_PROVIDERS, {
    description:
      '`card_provider`: Stripe; `messaging_pay_provider`: WeChat Pay; `wallet_pay_provider`: Alipay.',
    example: 'card_provider',
    notFound: 'no such provider',
  })
  provider!: PaymentProviderName;
}

/** What Stripe gets for a notification that is stored. */
class StripeAcknowledgementResponse {
  @ApiProperty({ description: 'Always true.', enum: [true], example: true })
  received!: true;
}

/** What WeChat Pay gets for a notification that is stored. */
class WechatAcknowledgementResponse {
  @ApiProperty({ description: 'Always `SUCCESS`.', enum: ['SUCCESS'] })
  code!: 'SUCCESS';

  @ApiProperty({ description: '“Success” in Chinese.', example: '成功' })
  message!: string;
}

/** What WeChat Pay gets for a notification that is refused. */
class WechatRefusalResponse {
  @ApiProperty({ description: 'Always `FAIL`.', enum: ['FAIL'] })
  code!: 'FAIL';

  @ApiProperty({ description: 'What is wrong, for people.', example: 'the signature is wrong' })
  message!: string;
}

type RequestBody = NonNullable<ApiOperationOptions['requestBody']>;

const text = { type: 'string' } as const;

const STRIPE_EVENT = {
  type: 'object',
  description: 'An event of Stripe.',
  required: ['object', 'type', 'created', 'livemode', 'data'],
  properties: {
    object: { ...text, enum: ['event'] },
    type: { ...text, example: 'checkout.session.completed' },
    created: { type: 'integer', description: 'Unix time in seconds.', example: 1769860800 },
    livemode: { type: 'boolean' },
    data: {
      type: 'object',
      description: 'The changed object in `object`.',
      required: ['object'],
      properties: { object: { type: 'object', additionalProperties: true } },
    },
  },
  additionalProperties: true,
} as const;

const WECHAT_NOTIFICATION = {
  type: 'object',
  description: 'A notification of WeChat Pay.',
  required: ['event_type', 'resource'],
  properties: {
    event_type: { ...text, example: 'TRANSACTION.SUCCESS' },
    resource: {
      type: 'object',
      description: 'The transaction or refund, encrypted with the APIv3 key.',
      required: ['algorithm', 'ciphertext', 'nonce'],
      properties: { algorithm: text, ciphertext: text, nonce: text, associated_data: text },
      additionalProperties: true,
    },
  },
  additionalProperties: true,
} as const;

const ALIPAY_NOTIFICATION = {
  type: 'object',
  description: 'A notification of Alipay, signed by `sign`.',
  required: ['notify_type', 'notify_time', 'app_id', 'seller_id', 'sign_type', 'sign'],
  properties: {
    notify_type: { ...text, example: 'trade_status_sync' },
    notify_time: { ...text, example: '2026-01-31 20:30:00' },
    app_id: text,
    seller_id: text,
    sign_type: { ...text, enum: ['RSA2'] },
    sign: text,
  },
  additionalProperties: text,
} as const;

const NOTIFICATION = {
  description: 'The notification in the form of its provider. Its signature is checked over the bytes.',
  required: true,
  content: {
    'application/json': { schema: { oneOf: [STRIPE_EVENT, WECHAT_NOTIFICATION] } },
    'application/x-www-form-urlencoded': { schema: ALIPAY_NOTIFICATION },
  },
} as unknown as RequestBody;

const SIGNATURE_HEADERS = {
  'Stripe-Signature': 'Stripe: time and signatures.',
  'Wechatpay-Serial': 'WeChat Pay: the key of the signature.',
  'Wechatpay-Timestamp': 'WeChat Pay: Unix time in seconds.',
  'Wechatpay-Nonce': 'WeChat Pay: part of the signed text.',
  'Wechatpay-Signature': 'WeChat Pay: the signature in Base64.',
};

const REFUSALS = {
  400: 'The notification is malformed or not authentic.',
  404: 'The provider is not enabled on this site, or there is no such payment.',
  409: 'Amount, currency or transaction does not match the payment.',
  500: 'An unexpected fault of the service. The provider sends the notification again.',
  503: 'The database or the keys of the provider are not available. The provider sends the notification again.',
};

/** JSON for Stripe and WeChat Pay, a word for Alipay. */
const answerOf = (types: Type[], word: string) => ({
  'application/json': { schema: { oneOf: types.map((type) => ({ $ref: getSchemaPath(type) })) } },
  'text/plain': { schema: { ...text, enum: [word] } },
});

/** Documents the one route for the notifications of all providers, each in its own protocol. */
const ApiWebhook = (operation: ApiOperationOptions) =>
  applyDecorators(
    ApiOperation({ ...operation, requestBody: NOTIFICATION }),
    ...Object.entries(SIGNATURE_HEADERS).map(([name, description]) =>
      ApiHeader({ name, description, required: false, schema: text }),
    ),
    ApiExtraModels(StripeAcknowledgementResponse, WechatAcknowledgementResponse, WechatRefusalResponse),
    ApiResponse({
      status: 200,
      description: 'The effects of the notification are stored, or it concerns nothing of this site.',
      content: answerOf([StripeAcknowledgementResponse, WechatAcknowledgementResponse], 'success'),
    }),
    ...Object.entries(REFUSALS).map(([status, description]) =>
      ApiResponse({
        status: Number(status),
        description,
        content: answerOf([ErrorResponse, WechatRefusalResponse], 'failure'),
      }),
    ),
    ApiErrors({ 415: 'The encoding of the body is not supported.' }),
  );

/** Notifications of the providers have a few kilobytes. */
const MAX_NOTIFICATION_BYTES = 65_536;

@Controller('api/billing/webhooks')
@ApiTags('Webhooks')
export class WebhooksController {
  constructor(
    private readonly providers: PaymentProviders,
    private readonly webhooks: WebhooksService,
  ) {}

  @Post(':provider')
  @HttpCode(200)
  @Public()
  @AnyQuery()
  @BodyAs('bytes', MAX_NOTIFICATION_BYTES)
  @ApiWebhook({
    operationId: 'receiveNotification',
    summary: 'Receives a notification of a payment provider, verified by its signature.',
    description:
      'The answer is the one that the provider expects. A notification that is not answered with 200 is sent again.',
  })
  async receive(
    @Param() { provider: name }: WebhookPath,
    @Req() { headers, body }: Request,
    @Res() response: Response,
  ): Promise<void> {
    const provider = this.providers.find(name);
    if (!provider) throw new NotFoundException('no such provider');
    const answer = await this.webhooks.receive(provider, { headers, body: body as Buffer });
    response.status(answer.status).type(answer.contentType).send(answer.body);
  }
}
