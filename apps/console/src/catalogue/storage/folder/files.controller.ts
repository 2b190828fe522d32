import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AnyQuery, Public } from '@inference/http';
import { type Request, type Response } from 'express';
import { FILES_PATH } from '@inference/storage';
import { ApiFileDownload } from './api-file-download.decorator';
import { FilePath } from './files.dto';
import { FilesService } from './files.service';

@Controller(FILES_PATH)
@ApiTags('Models')
export class FilesController {
  constructor(private readonly files: FilesService) {}

  /** The signature covers the exact text of the query, so only the service can judge it: a wrong one is a 403. */
  @Public()
  @AnyQuery()
  @Get(':key')
  @ApiFileDownload()
  download(@Param() { key }: FilePath, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.files.send(key, request, response);
  }
}
