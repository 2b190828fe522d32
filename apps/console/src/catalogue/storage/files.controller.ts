import { TextField } from '@inference/dto';
import { AnyQuery, Public } from '@inference/http';
import { ApiErrors, ApiFile } from '@inference/openapi';
import { FILES_PATH } from '@inference/storage';
import { applyDecorators, Controller, Get, Param, Req, Res } from '@nestjs/common';
import {
  ApiHeader,
  ApiNotModifiedResponse,
  ApiOperation,
  ApiQuery,
  ApiResponse,
  ApiTags,
} from '@nestjs/swagger';
import { type Request, type Response } from 'express';
import { FilesService } from './files.service';

const text = (description: string, example: string) => ({
  description,
  required: true,
  schema: { type: 'string', example },
});

const VALIDATORS = {
  ETag: text('Strong entity tag: the file under a key never changes.', '"pkg_0Vc3kZ8dQ1mXw7RtYb2LsA-1000"'),
  'Last-Modified': text('When the file was stored.', 'Sat, 31 Jan 2026 12:30:00 GMT'),
  'Cache-Control': text('Only the client may keep the file.', 'private, no-transform'),
  'Accept-Ranges': text('Parts may be asked for.', 'bytes'),
};

const REQUEST_HEADERS = {
  Range: 'A part of the file, such as `bytes=1000-`. Several parts, or an invalid one, get the whole file.',
  'If-Range': '`ETag` or `Last-Modified` of the part that the client has. `Range` counts only if it matches.',
  'If-Match': 'Entity tags; 412 if none is that of the file.',
  'If-Unmodified-Since': 'A time; 412 if the file was stored later.',
  'If-None-Match': 'Entity tags; 304 if one is that of the file.',
  'If-Modified-Since': 'A time; 304 if the file was stored before it.',
};

const QUERY = {
  name: 'The name under which the file is saved.',
  expires: 'Unix time in seconds at which the link expires.',
  signature: 'Signature of all parts of the link.',
};

const aText = { type: 'string' } as const;

/** Documents the route that sends the file of a download link. */
const ApiFileDownload = () =>
  applyDecorators(
    ApiOperation({
      operationId: 'getFile',
      summary: 'Sends the file of a download link.',
      description:
        'Such links come from the download of a model if packages are stored in a folder. The signature replaces a credential.',
    }),
    ...Object.entries(QUERY).map(([name, description]) =>
      ApiQuery({ name, description, required: true, schema: aText }),
    ),
    ...Object.entries(REQUEST_HEADERS).map(([name, description]) =>
      ApiHeader({ name, description, required: false, schema: aText }),
    ),
    ...[200, 206].map((status) =>
      ApiFile({
        status,
        description: status === 200 ? 'The whole file.' : 'The part that `Range` asks for.',
        mediaTypes: ['application/octet-stream'],
        headers: {
          ...VALIDATORS,
          ...(status === 206 && { 'Content-Range': text('The part and the whole size.', 'bytes 0-9/1000') }),
        },
      }),
    ),
    ApiNotModifiedResponse({ description: 'The client has the file.', headers: VALIDATORS }),
    ApiErrors({
      403: 'The link is not valid or has expired, or has other parameters than these.',
      404: 'There is no such file, or packages are not stored in a folder.',
      412: 'The file does not match `If-Match` or `If-Unmodified-Since`.',
    }),
    ApiResponse({
      status: 416,
      description: 'The file has no such part.',
      headers: { 'Content-Range': text('The whole size.', 'bytes */1000') },
    }),
  );

class FilePath {
  @TextField({ description: 'The key of the file.', example: 'pkg_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  key!: string;
}

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
