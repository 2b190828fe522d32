import { Controller, Headers, Post, Req, Res } from '@nestjs/common';
import { type Caller, CurrentCaller } from '@inference/guards';
import { AnyQuery, BodyAs } from '@inference/http';
import { type Request, type Response } from 'express';
import { readEntrypoint } from './request/entrypoint';
import { ProxyService } from './proxy.service';

/** The model endpoints, in OpenAI's shapes. */
@Controller('v1')
@AnyQuery()
@BodyAs('unparsed-json')
export class ProxyController {
  constructor(private readonly proxies: ProxyService) {}

  @Post('chat/completions')
  chat(
    @CurrentCaller() caller: Caller,
    @Headers('x-entrypoint') entrypoint: string | undefined,
    @Req() req: Request,
    @Res() res: Response,
  ) {
    return this.proxies.proxy('chat/completions', caller, readEntrypoint(entrypoint, caller), req.body, res);
  }

  @Post('completions')
  complete(
    @CurrentCaller() caller: Caller,
    @Headers('x-entrypoint') entrypoint: string | undefined,
    @Req() req: Request,
    @Res() res: Response,
  ) {
    return this.proxies.proxy('completions', caller, readEntrypoint(entrypoint, caller), req.body, res);
  }

  @Post('embeddings')
  embed(
    @CurrentCaller() caller: Caller,
    @Headers('x-entrypoint') entrypoint: string | undefined,
    @Req() req: Request,
    @Res() res: Response,
  ) {
    return this.proxies.proxy('embeddings', caller, readEntrypoint(entrypoint, caller), req.body, res);
  }
}
