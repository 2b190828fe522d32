import { AnyQuery, Public } from '@inference/http';
import { Controller, Head, HttpCode } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';

/** Claude Code asks whether the gateway is there before its first request. */
@Controller()
@ApiTags('Health')
export class RootController {
  @Head()
  @HttpCode(200)
  @Public()
  @AnyQuery()
  @ApiOperation({ operationId: 'ping', summary: 'Says that the gateway is reached; nothing is checked.' })
  @ApiOkResponse({ description: 'The gateway answers.' })
  ping(): void {
    // The status is the answer.
  }
}
