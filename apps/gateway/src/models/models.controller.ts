import { Controller, Get, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '@inference/guards';
import { AnyQuery } from '@inference/http';
import { ApiErrors } from '@inference/openapi';
import { ModelListResponse, ModelPath, ModelResponse } from './models.dto';
import { ModelsService } from './models.service';

@Controller('v1/models')
@ApiTags('Models')
@AnyQuery()
export class ModelsController {
  constructor(private readonly models: ModelsService) {}

  @Get()
  @ApiOperation({
    operationId: 'listModels',
    summary: 'Lists the models that the caller may use.',
    description: 'A model is offered if it has a price and a configured upstream serves it.',
  })
  @ApiOkResponse({ description: 'The models.', type: ModelListResponse })
  @ApiErrors({ 503: '`database_unavailable`.' })
  list(@CurrentCaller() caller: Caller): Promise<ModelListResponse> {
    return this.models.list(caller);
  }

  @Get('*slug')
  @ApiOperation({ operationId: 'retrieveModel', summary: 'Returns one model.' })
  @ApiOkResponse({ description: 'The model.', type: ModelResponse })
  @ApiErrors({
    404: 'The model does not exist, is not offered, or is not allowed for the API key.',
    503: '`database_unavailable`.',
  })
  find(@CurrentCaller() caller: Caller, @Param() { slug }: ModelPath): Promise<ModelResponse> {
    return this.models.find(caller, slug);
  }
}
