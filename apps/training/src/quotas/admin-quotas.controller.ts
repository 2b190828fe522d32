import { Controller, Get, Header, Param, Put } from '@nestjs/common';
import { Accepts, type Caller, CurrentCaller, Roles } from '@inference/guards';
import { ValidBody } from '@inference/http';
import { type NewQuota, newQuota, type QuotaView } from './quotas.dto';
import { QuotasService } from './quotas.service';

/** Token quota of an account. 404 for an unknown account. */
@Controller('v1/admin/quotas/:accountId')
@Accepts('session')
@Roles('admin')
export class AdminQuotasController {
  constructor(private readonly quotas: QuotasService) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  read(@Param('accountId') accountId: string): Promise<QuotaView> {
    return this.quotas.read(accountId);
  }

  @Put()
  set(
    @CurrentCaller() { accountId: adminId }: Caller,
    @Param('accountId') accountId: string,
    @ValidBody(newQuota) { total }: NewQuota,
  ): Promise<QuotaView> {
    return this.quotas.setTotal(accountId, total, adminId);
  }
}
