import { AnyQuery, BodyAs } from '@inference/http';
import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Request, type Response } from 'express';
import { ApiTask } from './api-task.decorator';
import { IMAGES } from './requests/images';
import { MODERATION } from './requests/moderation';
import { RERANK } from './requests/rerank';
import { SPEECH } from './requests/speech';
import { type Task } from './task';
import { TaskProxy } from './task-proxy.service';
import {
  ImageRequest,
  ImageResponse,
  ModerationRequest,
  ModerationResponse,
  RerankRequest,
  RerankResponse,
  SpeechRequest,
} from './tasks.dto';

/** Endpoints of models with one task that take JSON. */
@Controller('v1')
@ApiTags('Models')
@AnyQuery()
@BodyAs('unparsed-json')
export class TasksController {
  constructor(private readonly tasks: TaskProxy) {}

  @Post('rerank')
  @HttpCode(200)
  @ApiTask({
    operationId: 'rerank',
    summary: 'Puts documents in the order of what a query looks for.',
    request: { type: 'application/json', model: RerankRequest },
    response: RerankResponse,
  })
  rerank(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.serve(RERANK, request, response);
  }

  @Post('images/generations')
  @HttpCode(200)
  @ApiTask({
    operationId: 'createImage',
    summary: 'Makes images.',
    request: { type: 'application/json', model: ImageRequest },
    response: ImageResponse,
    events:
      'data: {"type":"image_generation.completed","b64_json":"iVBORw0KGgo=","usage":{"input_tokens":5,"output_tokens":1056,"total_tokens":1061}}\n\n',
  })
  image(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.serve(IMAGES, request, response);
  }

  @Post('audio/speech')
  @HttpCode(200)
  @ApiTask({
    operationId: 'createSpeech',
    summary: 'Speaks a text.',
    request: { type: 'application/json', model: SpeechRequest },
    response: 'audio',
    events:
      'data: {"type":"speech.audio.done","usage":{"input_tokens":5,"output_tokens":20,"total_tokens":25}}\n\n',
  })
  speech(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.serve(SPEECH, request, response);
  }

  @Post('moderations')
  @HttpCode(200)
  @ApiTask({
    operationId: 'createModeration',
    summary: 'Says which kinds of harm a text may do.',
    request: { type: 'application/json', model: ModerationRequest },
    response: ModerationResponse,
  })
  moderation(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.serve(MODERATION, request, response);
  }

  private serve(task: Task, request: Request, response: Response): Promise<void> {
    return this.tasks.serve(task, request, response, () => Promise.resolve(request.body as Buffer));
  }
}
