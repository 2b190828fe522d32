import { Body, Controller, HttpCode, NotFoundException, Param, Post, Req, Res } from '@nestjs/common';
import { AnyQuery, BodyAs, Public } from '@inference/http';
import { type Request, type Response } from 'express';
import { PaymentProviders } from '../payment-providers/payment-providers';
import { WebhooksService } from './webhooks.service';

/** Notifications of the providers have a few kilobytes. */
const MAX_NOTIFICATION_BYTES = 65_536;

@Controller('api/billing/webhooks')
export class WebhooksController {
  constructor(
    private readonly providers: PaymentProviders,
    private readonly webhooks: WebhooksService,
  ) {}

  /** Takes a notification in the provider's protocol and returns the answer it expects. 404 for a disabled provider. */
  @Post(':provider')
  @HttpCode(200)
  @Public()
  @AnyQuery()
  @BodyAs('bytes', MAX_NOTIFICATION_BYTES)
  async receive(
    @Param('provider') name: string,
    @Req() { headers }: Request,
    @Res() response: Response,
    @Body() body: Buffer,
  ): Promise<void> {
    const provider = this.providers.find(name);
    if (!provider) throw new NotFoundException('no such provider');
    const answer = await this.webhooks.receive(provider, { headers, body });
    response.status(answer.status).type(answer.contentType).send(answer.body);
  }
}
