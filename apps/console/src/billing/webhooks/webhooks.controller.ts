import { Controller, HttpCode, NotFoundException, Param, Post, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AnyQuery, BodyAs, Public } from '@inference/http';
import { type Request, type Response } from 'express';
import { PaymentProviders } from '../payment-providers/payment-providers';
import { ApiWebhook } from './api-webhook.decorator';
import { WebhookPath } from './webhooks.dto';
import { WebhooksService } from './webhooks.service';

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
