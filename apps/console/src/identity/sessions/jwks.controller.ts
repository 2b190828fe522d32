import { Controller, Get, Header, Inject } from '@nestjs/common';
import { Public } from '@inference/http';
import { SESSIONS_CONFIG, type SessionsConfig } from './sessions.config';
import { publicKeyOf } from './signing-keys';

/** The public keys with which the other services verify session tokens. */
@Controller('.well-known/jwks.json')
export class JwksController {
  constructor(@Inject(SESSIONS_CONFIG) private readonly config: SessionsConfig) {}

  @Get()
  @Public()
  @Header('Cache-Control', 'public, max-age=60')
  read() {
    return { keys: this.config.signingKeys.map(publicKeyOf) };
  }
}
