import { Controller, Get, Header, Inject } from '@nestjs/common';
import { Public } from '@inference/http';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { publicKeyOf } from './signing-keys';

/** The public keys by which every other service verifies session tokens. */
@Controller('.well-known/jwks.json')
export class JwksController {
  constructor(@Inject(CONSOLE_CONFIG) private readonly config: ConsoleConfig) {}

  @Get()
  @Public()
  @Header('Cache-Control', 'public, max-age=60')
  read() {
    return { keys: this.config.SESSION_SIGNING_KEYS.map(publicKeyOf) };
  }
}
