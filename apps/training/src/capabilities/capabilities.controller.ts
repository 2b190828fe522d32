import { Controller, Get, Header } from '@nestjs/common';
import { type Caller, CurrentCaller } from '@inference/guards';
import { CapabilitiesService, type CapabilitiesView } from './capabilities.service';

/** `GET /v1/capabilities` (spec: Training capabilities): what can be trained, and the caller's quota and balance. */
@Controller('v1/capabilities')
export class CapabilitiesController {
  constructor(private readonly capabilities: CapabilitiesService) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  read(@CurrentCaller() { accountId }: Caller): Promise<CapabilitiesView> {
    return this.capabilities.read(accountId);
  }
}
