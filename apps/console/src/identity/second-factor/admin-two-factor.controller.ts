import { Controller, HttpCode, Param, Post } from '@nestjs/common';
import { Roles } from '@inference/guards';
import { ValidBody } from '@inference/http';
import { CredentialAttempt } from '../../rate-limit/credential-attempt.decorator';
import { type Actor, CurrentActor } from '../audit-log/actor';
import { type AdminPassword, adminPassword } from './two-factor.dto';
import { TwoFactorService } from './two-factor.service';

@Controller('api/admin/accounts')
@Roles('admin')
export class AdminTwoFactorController {
  constructor(private readonly twoFactor: TwoFactorService) {}

  /**
   * `{password}` of the admin → 204. Turns off the two factors of another account, whose owner has lost them. 403 for a
   * wrong password or the admin's own account, 404 for an unknown account, 409 for one without two factors.
   */
  @Post(':id/2fa/disable')
  @HttpCode(204)
  @CredentialAttempt()
  disable(
    @CurrentActor() admin: Actor,
    @Param('id') id: string,
    @ValidBody(adminPassword) { password }: AdminPassword,
  ): Promise<void> {
    return this.twoFactor.disableFor(id, admin, password);
  }
}
