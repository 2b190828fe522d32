import { Controller, Get, Param, Req } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { Accepts, type Caller, CurrentCaller } from '@inference/guards';
import { AnyQuery } from '@inference/http';
import { ApiErrors } from '@inference/openapi';
import { type Request } from 'express';
import { speaksAnthropic } from '../errors/anthropic-error';
import {
  AnthropicModelListResponse,
  AnthropicModelResponse,
  anthropicModel,
  anthropicPage,
  ApiAnthropicPage,
  readAnthropicPage,
} from './anthropic-models';
import { ModelListResponse, ModelPath, ModelResponse } from './models.dto';
import { ModelsService } from './models.service';

const either = (
  ours: typeof ModelListResponse | typeof ModelResponse,
  anthropic: typeof AnthropicModelListResponse | typeof AnthropicModelResponse,
) => ({
  schema: { oneOf: [{ $ref: getSchemaPath(ours) }, { $ref: getSchemaPath(anthropic) }] },
});

@Controller('v1/models')
@ApiTags('Models')
@AnyQuery()
@Accepts('api_key', 'api_key_header', 'on_behalf')
@ApiExtraModels(ModelListResponse, ModelResponse, AnthropicModelListResponse, AnthropicModelResponse)
export class ModelsController {
  constructor(private readonly models: ModelsService) {}

  @Get()
  @ApiAnthropicPage()
  @ApiOperation({
    operationId: 'listModels',
    summary: 'Lists the models that the caller may use.',
    description:
      'A model is offered if it has a price and a configured upstream serves it. A request with the header `anthropic-version` gets the list, and errors, in Anthropic’s shape.',
  })
  @ApiOkResponse({ description: 'The models.', ...either(ModelListResponse, AnthropicModelListResponse) })
  @ApiErrors({ 503: '`database_unavailable`.' })
  async list(
    @CurrentCaller() caller: Caller,
    @Req() request: Request,
  ): Promise<ModelListResponse | AnthropicModelListResponse> {
    const list = await this.models.list(caller);
    return speaksAnthropic(request) ? anthropicPage(list.data, readAnthropicPage(request.query)) : list;
  }

  @Get('*slug')
  @ApiOperation({ operationId: 'retrieveModel', summary: 'Returns one model.' })
  @ApiOkResponse({ description: 'The model.', ...either(ModelResponse, AnthropicModelResponse) })
  @ApiErrors({
    404: 'The model does not exist, is not offered, or is not allowed for the API key.',
    503: '`database_unavailable`.',
  })
  async find(
    @CurrentCaller() caller: Caller,
    @Param() { slug }: ModelPath,
    @Req() request: Request,
  ): Promise<ModelResponse | AnthropicModelResponse> {
    const model = await this.models.find(caller, slug);
    return speaksAnthropic(request) ? anthropicModel(model) : model;
  }
}
