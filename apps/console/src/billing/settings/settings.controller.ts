import { Body, Controller, Get, Patch } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '@inference/guards';
import { ApiErrors } from '@inference/openapi';
import { BillingSettingsResponse, UpdateBillingSettingsDto } from './settings.dto';
import { SettingsService } from './settings.service';

@Controller('api/billing/settings')
@ApiTags('Payments')
export class SettingsController {
  constructor(private readonly settings: SettingsService) {}

  @Get()
  @ApiOperation({
    operationId: 'getBillingSettings',
    summary: 'Returns the balance of the wallet, the bounds and presets of a top-up, and the providers.',
  })
  @ApiOkResponse({ description: 'The settings; amounts are in `currency`.', type: BillingSettingsResponse })
  @ApiErrors({ 404: 'The account has no wallet.' })
  read(@CurrentCaller() { accountId }: Caller): Promise<BillingSettingsResponse> {
    return this.settings.read(accountId);
  }

  @Patch()
  @ApiOperation({
    operationId: 'updateBillingSettings',
    summary: 'Chooses when the account gets a mail about its balance.',
    description: 'A balance that is below the new threshold already is no reason for a mail.',
  })
  @ApiOkResponse({ description: 'The changed settings.', type: BillingSettingsResponse })
  @ApiErrors({ 404: 'The account has no wallet.' })
  update(
    @CurrentCaller() { accountId }: Caller,
    @Body() body: UpdateBillingSettingsDto,
  ): Promise<BillingSettingsResponse> {
    return this.settings.update(accountId, body);
  }
}
