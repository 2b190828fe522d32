import { AnyQuery, BodyAs, BodyMemory, BodyReader } from '@inference/http';
import { Controller, HttpCode, Inject, Post, Req, Res, UnsupportedMediaTypeException } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Request, type Response } from 'express';
import { InvalidFormError } from '../proxy/request/request.errors';
import { ApiTask } from './api-task.decorator';
import { isForm } from './requests/form-data';
import { TRANSCRIPTION, TRANSLATION } from './requests/transcription';
import { type Task } from './task';
import { TaskProxy } from './task-proxy.service';
import { TASKS_CONFIG, type TasksConfig } from './tasks.config';
import { TranscriptionForm, TranscriptResponse, TranslationForm } from './tasks.dto';

/** Endpoints that take audio in a form, which has a limit of its own. */
@Controller('v1/audio')
@ApiTags('Models')
@AnyQuery()
@BodyAs('stream')
export class AudioController {
  private readonly bodies: BodyReader;

  constructor(
    private readonly tasks: TaskProxy,
    memory: BodyMemory,
    @Inject(TASKS_CONFIG) private readonly config: TasksConfig,
  ) {
    this.bodies = new BodyReader(memory);
  }

  @Post('transcriptions')
  @HttpCode(200)
  @ApiTask({
    operationId: 'createTranscription',
    summary: 'Writes down what is said.',
    request: { type: 'multipart/form-data', model: TranscriptionForm },
    response: TranscriptResponse,
    hasText: true,
    events:
      'data: {"type":"transcript.text.done","text":"Hello","usage":{"type":"tokens","input_tokens":14,"output_tokens":1,"total_tokens":15}}\n\n',
  })
  transcribe(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.serve(TRANSCRIPTION, request, response);
  }

  @Post('translations')
  @HttpCode(200)
  @ApiTask({
    operationId: 'createTranslation',
    summary: 'Writes down in English what is said.',
    request: { type: 'multipart/form-data', model: TranslationForm },
    response: TranscriptResponse,
    hasText: true,
  })
  translate(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.serve(TRANSLATION, request, response);
  }

  private serve(task: Task, request: Request, response: Response): Promise<void> {
    return this.tasks.serve(task, request, response, () => {
      const contentType = request.get('Content-Type');
      if (contentType === undefined) throw new InvalidFormError('The body is empty.');
      if (!isForm(contentType))
        throw new UnsupportedMediaTypeException('the content type must be multipart/form-data');
      return this.bodies.read(request, response, this.config.audioUploadLimitBytes);
    });
  }
}
