import { Body, Controller, Get, Header, Param, Put } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Accepts, type Caller, CurrentCaller, StaffOnly } from '@inference/guards';
import { ApiErrors } from '@inference/openapi';
import { ApiEnvelope } from '@inference/training-envelope';
import { QuotaPath, QuotaResponse, SetQuotaDto } from './quotas.dto';
import { QuotasService } from './quotas.service';

const NO_ACCOUNT = 'There is no such account (code 40401).';

@Controller('v1/admin/quotas/:accountId')
@ApiTags('Quotas')
@Accepts('session')
@StaffOnly()
export class AdminQuotasController {
  constructor(private readonly quotas: QuotasService) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ operationId: 'getQuota', summary: 'Returns the quota of an account and who set it when.' })
  @ApiEnvelope(QuotaResponse, { description: 'The quota.' })
  @ApiErrors({ 404: NO_ACCOUNT })
  read(@Param() { accountId }: QuotaPath): Promise<QuotaResponse> {
    return this.quotas.read(accountId);
  }

  @Put()
  @ApiOperation({ operationId: 'setQuota', summary: 'Sets the quota of an account.' })
  @ApiEnvelope(QuotaResponse, { description: 'The new quota.' })
  @ApiErrors({ 404: NO_ACCOUNT })
  set(
    @CurrentCaller() { accountId: adminId }: Caller,
    @Param() { accountId }: QuotaPath,
    @Body() { total }: SetQuotaDto,
  ): Promise<QuotaResponse> {
    return this.quotas.setTotal(accountId, total, adminId);
  }
}
