import { ApiHideProperty } from '@nestjs/swagger';
import { Allow } from 'class-validator';

/** Query of a download: the session token may be in it. The document describes it as a credential. */
export class TokenQuery {
  @Allow()
  @ApiHideProperty()
  token?: unknown;
}
