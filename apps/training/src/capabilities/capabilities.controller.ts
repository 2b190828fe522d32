import { Controller, Get, Header } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '@inference/guards';
import { ApiErrors } from '@inference/openapi';
import { ApiEnvelope } from '@inference/training-envelope';
import { CapabilitiesResponse } from './capabilities.dto';
import { CapabilitiesService } from './capabilities.service';

@Controller('v1/capabilities')
@ApiTags('Capabilities')
export class CapabilitiesController {
  constructor(private readonly capabilities: CapabilitiesService) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'getCapabilities',
    summary: 'Returns what can be trained, with prices, quota and balance of the caller.',
    description:
      'With an API key that has a spending limit or a list of models, quota and balance are what is left for that key.',
  })
  @ApiEnvelope(CapabilitiesResponse, { description: 'The capabilities.' })
  @ApiErrors({
    503: 'The database is not available (code 50300), no price of training is published (50301), the published one has no GPU hour (50302), or no exchange rate to USD is stored (50303).',
  })
  read(@CurrentCaller() caller: Caller): Promise<CapabilitiesResponse> {
    return this.capabilities.read(caller);
  }
}
