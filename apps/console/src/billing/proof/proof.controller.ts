import { Controller, Get, Header, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '@inference/guards';
import { ProofQuery, ProofResponse } from './proof.dto';
import { ProofService } from './proof.service';

@Controller('api/billing/proof')
@ApiTags('Wallet')
export class ProofController {
  constructor(private readonly proof: ProofService) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'getProof',
    summary: 'Compares usage, usage transactions and the cost report of a period, exactly.',
    description:
      'Transactions are kept by the hour of UTC. So the whole, closed hours of the period are compared; an hour closes sixty seconds after its end. The router-cost service is asked for its own figure. If it cannot be asked, usage and transactions are still compared.',
  })
  @ApiOkResponse({ description: 'The sums and their differences.', type: ProofResponse })
  read(@CurrentCaller() { accountId }: Caller, @Query() query: ProofQuery): Promise<ProofResponse> {
    return this.proof.read(accountId, query);
  }
}
