import { Controller, Get, Param } from '@nestjs/common';
import { type Caller, CurrentCaller } from '@inference/guards';
import { ModelsService } from './models.service';

/** The models that the caller can use, in OpenAI's shapes. */
@Controller('v1/models')
export class ModelsController {
  constructor(private readonly models: ModelsService) {}

  @Get()
  list(@CurrentCaller() caller: Caller) {
    return this.models.list(caller);
  }

  /** A slug may contain slashes. */
  @Get('*slug')
  find(@CurrentCaller() caller: Caller, @Param('slug') slug: string | string[]) {
    return this.models.find(caller, Array.isArray(slug) ? slug.join('/') : slug);
  }
}
