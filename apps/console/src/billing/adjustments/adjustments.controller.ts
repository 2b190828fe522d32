import { Controller, Post } from '@nestjs/common';
import { Roles } from '@inference/guards';
import { IdempotencyKey, ValidBody } from '@inference/http';
import { type Actor, CurrentActor } from '../../identity/audit-log/actor';
import { createAdjustmentDto, type CreateAdjustmentDto, type AdjustmentView } from './adjustments.dto';
import { AdjustmentsService } from './adjustments.service';

@Controller('api/admin/billing/adjustments')
@Roles('admin')
export class AdjustmentsController {
  constructor(private readonly adjustments: AdjustmentsService) {}

  /**
   * `{account_id, amount, description}` → 201 with the transaction. 404 for an unknown account; 409 if the wallet does not
   * cover a deduction, or if the idempotency key was used for another request.
   */
  @Post()
  post(
    @CurrentActor() admin: Actor,
    @ValidBody(createAdjustmentDto) body: CreateAdjustmentDto,
    @IdempotencyKey() idempotencyKey: string | null,
  ): Promise<AdjustmentView> {
    return this.adjustments.post(admin, body, idempotencyKey);
  }
}
