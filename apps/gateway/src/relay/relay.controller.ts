import { Controller, Headers, Post, Req, Res } from '@nestjs/common';
import { type Caller, CurrentCaller } from '@inference/credentials';
import { type Request, type Response } from 'express';
import { readEntrypoint } from './entrypoint';
import { RelayService } from './relay.service';

/** The model endpoints, in OpenAI's shapes. */
@Controller('v1')
export class RelayController {
  constructor(private readonly relays: RelayService) {}

  @Post('chat/completions')
  chat(
    @CurrentCaller() caller: Caller,
    @Headers('x-entrypoint') entrypoint: string | undefined,
    @Req() req: Request,
    @Res() res: Response,
  ) {
    return this.relays.relay('chat/completions', caller, readEntrypoint(entrypoint, caller), req.body, res);
  }

  @Post('completions')
  complete(
    @CurrentCaller() caller: Caller,
    @Headers('x-entrypoint') entrypoint: string | undefined,
    @Req() req: Request,
    @Res() res: Response,
  ) {
    return this.relays.relay('completions', caller, readEntrypoint(entrypoint, caller), req.body, res);
  }

  @Post('embeddings')
  embed(
    @CurrentCaller() caller: Caller,
    @Headers('x-entrypoint') entrypoint: string | undefined,
    @Req() req: Request,
    @Res() res: Response,
  ) {
    return this.relays.relay('embeddings', caller, readEntrypoint(entrypoint, caller), req.body, res);
  }
}
