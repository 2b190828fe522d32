import { type Caller, CurrentCaller } from '@inference/guards';
import { PageQuery } from '@inference/http';
import { ApiErrors } from '@inference/openapi';
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { PresetDto, PresetListResponse, PresetPath, PresetResponse } from './presets.dto';
import { PresetsService } from './presets.service';

const NO_SUCH_PRESET = { 404: 'The account has no such preset.' };

@Controller('api/playground/presets')
@ApiTags('Playground')
export class PresetsController {
  constructor(private readonly presets: PresetsService) {}

  @Get()
  @ApiOperation({ operationId: 'listPresets', summary: 'Lists the account’s presets.' })
  @ApiOkResponse({ description: 'A page of the list.', type: PresetListResponse })
  list(@CurrentCaller() { accountId }: Caller, @Query() query: PageQuery): Promise<PresetListResponse> {
    return this.presets.list(accountId, query);
  }

  @Post()
  @ApiOperation({
    operationId: 'createPreset',
    summary: 'Saves a preset: models with their parameters under a name.',
  })
  @ApiCreatedResponse({ description: 'The new preset.', type: PresetResponse })
  @ApiErrors({ 409: 'The account has 100 presets, or one of this name.' })
  create(@CurrentCaller() { accountId }: Caller, @Body() body: PresetDto): Promise<PresetResponse> {
    return this.presets.create(accountId, body);
  }

  @Get(':id')
  @ApiOperation({ operationId: 'getPreset', summary: 'Returns a preset.' })
  @ApiOkResponse({ description: 'The preset.', type: PresetResponse })
  @ApiErrors(NO_SUCH_PRESET)
  find(@CurrentCaller() { accountId }: Caller, @Param() { id }: PresetPath): Promise<PresetResponse> {
    return this.presets.find(accountId, id);
  }

  @Put(':id')
  @ApiOperation({ operationId: 'replacePreset', summary: 'Replaces the name and the settings of a preset.' })
  @ApiOkResponse({ description: 'The changed preset.', type: PresetResponse })
  @ApiErrors({ ...NO_SUCH_PRESET, 409: 'The account has another preset of this name.' })
  replace(
    @CurrentCaller() { accountId }: Caller,
    @Param() { id }: PresetPath,
    @Body() body: PresetDto,
  ): Promise<PresetResponse> {
    return this.presets.replace(accountId, id, body);
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({ operationId: 'deletePreset', summary: 'Deletes a preset.' })
  @ApiNoContentResponse({ description: 'The preset is deleted.' })
  @ApiErrors(NO_SUCH_PRESET)
  remove(@CurrentCaller() { accountId }: Caller, @Param() { id }: PresetPath): Promise<void> {
    return this.presets.remove(accountId, id);
  }
}
