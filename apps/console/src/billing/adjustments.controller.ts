import { Controller, Post } from '@nestjs/common';
import { Roles } from '@inference/credentials';
import { IdempotencyKey, ValidBody } from '@inference/http';
import { type Actor, CurrentActor } from '../events/actor';
import { adjustment, type Adjustment, type AdjustmentView } from './adjustments.dto';
import { AdjustmentsService } from './adjustments.service';

@Controller('api/admin/billing/adjustments')
@Roles('admin')
export class AdjustmentsController {
  constructor(private readonly adjustments: AdjustmentsService) {}

  /**
   * `{account_id, amount, description}` → 201 with the transaction; 404 for an unknown account, 409 when the wallet
   * does not cover a deduction, or when the idempotency key was used for something else.
   */
  @Post()
  post(
    @CurrentActor() admin: Actor,
    @ValidBody(adjustment) body: Adjustment,
    @IdempotencyKey() idempotencyKey: string | null,
  ): Promise<AdjustmentView> {
    return this.adjustments.post(admin, body, idempotencyKey);
  }
}
