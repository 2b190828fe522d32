import { StaffOnly } from '@inference/guards';
import { Idempotency, IdempotencyHeaders } from '@inference/http';
import { ApiErrors } from '@inference/openapi';
import { Body, Controller, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Actor, CurrentActor } from '../../accounts/audit-log/actor';
import { AdjustmentResponse, CreateAdjustmentDto } from './adjustments.dto';
import { AdjustmentsService } from './adjustments.service';

@Controller('api/admin/billing/adjustments')
@ApiTags('Administration of payments')
@StaffOnly()
export class AdjustmentsController {
  constructor(private readonly adjustments: AdjustmentsService) {}

  @Post()
  @ApiOperation({
    operationId: 'createAdjustment',
    summary: 'Corrects the balance of a wallet.',
    description: 'The correction is shown in the transactions of the account.',
  })
  @ApiCreatedResponse({ description: 'The transaction.', type: AdjustmentResponse })
  @ApiErrors({ 404: 'There is no such account.', 409: 'The wallet does not cover the deduction.' })
  post(
    @CurrentActor() admin: Actor,
    @Body() body: CreateAdjustmentDto,
    @Idempotency() { 'Idempotency-Key': key }: IdempotencyHeaders,
  ): Promise<AdjustmentResponse> {
    return this.adjustments.post(admin, body, key ?? null);
  }
}
