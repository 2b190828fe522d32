import { Public } from '@inference/http';
import { Controller, Get, Header, Inject } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { SESSIONS_CONFIG, type SessionsConfig } from '../identity.config';
import { JwksResponse } from './sessions.dto';
import { publicKeyOf } from './signing-keys';

@Controller('.well-known/jwks.json')
@ApiTags('Sign-in')
export class JwksController {
  constructor(@Inject(SESSIONS_CONFIG) private readonly config: SessionsConfig) {}

  @Get()
  @Public()
  @Header('Cache-Control', 'public, max-age=60')
  @ApiOperation({
    operationId: 'readSessionKeys',
    summary: 'Lists the public keys with which session tokens are verified.',
  })
  @ApiOkResponse({ description: 'The keys (RFC 7517).', type: JwksResponse })
  read(): JwksResponse {
    return { keys: this.config.signingKeys.map(publicKeyOf) };
  }
}
