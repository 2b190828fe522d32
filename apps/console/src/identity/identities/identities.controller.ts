import { Controller, Delete, Get, HttpCode, Param } from '@nestjs/common';
import { type Caller, CurrentCaller } from '@inference/guards';
import { type Actor, CurrentActor } from '../audit-log/actor';
import { IdentitiesService } from './identities.service';
import { type IdentityView } from './identities.dto';

@Controller('api/auth/identities')
export class IdentitiesController {
  constructor(private readonly identities: IdentitiesService) {}

  /** → `{identities: [{id, provider, issuer, email, created_at}]}`, oldest first. */
  @Get()
  async list(@CurrentCaller() { accountId }: Caller): Promise<{ identities: IdentityView[] }> {
    return { identities: await this.identities.list(accountId) };
  }

  /** → 204. 404 if it is not the account's, 409 if the account could not sign in any more. */
  @Delete(':id')
  @HttpCode(204)
  unlink(@CurrentActor() actor: Actor, @Param('id') id: string): Promise<void> {
    return this.identities.unlink(actor, id);
  }
}
