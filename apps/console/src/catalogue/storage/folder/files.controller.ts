import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { Public } from '@inference/http';
import { type Request, type Response } from 'express';
import { FilesService } from './files.service';
import { FILES_PATH } from './folder-storage';

@Controller(FILES_PATH)
export class FilesController {
  constructor(private readonly files: FilesService) {}

  /** Sends a file of the folder storage. The signature of the link replaces a credential. */
  @Public()
  @Get(':key')
  download(@Param('key') key: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.files.send(key, request, response);
  }
}
