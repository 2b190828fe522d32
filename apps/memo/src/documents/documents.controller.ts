import { BodyAs } from '@inference/http';
import { ApiErrors } from '@inference/openapi';
import {
  Controller,
  Delete,
  Get,
  HttpCode,
  Param,
  Post,
  Put,
  Query,
  Req,
  Res,
  type StreamableFile,
} from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiExtraModels,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  type ApiOperationOptions,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import { type Request, type Response } from 'express';
import { CurrentMember, type Member } from '../access/member';
import { RequiresRole } from '../access/workspace.guard';
import { ApiCodedErrors } from '../api-coded-errors.decorator';
import { DocumentListResponse, DocumentPath, DocumentResponse, DocumentsQuery } from './document.dto';
import { DocumentsService } from './documents.service';
import { FormUploadDto, JsonUploadDto } from './uploads/upload.dto';

/** The classes to which UPLOAD_BODY refers. */
const UPLOAD_MODELS = [JsonUploadDto, FormUploadDto];

/** For the API document: the body of an upload, which handlers read as a stream. */
const UPLOAD_BODY: ApiOperationOptions['requestBody'] = {
  required: true,
  description: 'A text as JSON, or a form with a file.',
  content: {
    'application/json': { schema: { $ref: getSchemaPath(JsonUploadDto) } },
    'multipart/form-data': { schema: { $ref: getSchemaPath(FormUploadDto) } },
  },
};

const NO_SUCH_DOCUMENT = { 404: 'The workspace has no such document.' };
const UPLOAD_ERRORS = {
  413: 'The document is too large.',
  415: 'The body is neither JSON nor a form, or the file is none of the supported formats.',
};
const UPLOAD_UNAVAILABLE = { 503: 'The service stops, or the database is not available.' };

@Controller('v1/workspaces/:workspace_id/documents')
@ApiTags('Documents')
@ApiExtraModels(...UPLOAD_MODELS)
export class DocumentsController {
  constructor(private readonly documents: DocumentsService) {}

  @Post()
  @ApiErrors({ 409: 'The workspace has as many documents or bytes as it may.', ...UPLOAD_ERRORS })
  @ApiCodedErrors(UPLOAD_UNAVAILABLE)
  @RequiresRole('editor')
  @BodyAs('stream')
  @ApiOperation({
    operationId: 'createDocument',
    summary: 'Uploads a document. Needs the role editor.',
    description:
      'If a document has the same `external_id`, it gets a new version; nothing changes if its newest version is equal. The text is extracted in the background.',
    requestBody: UPLOAD_BODY,
  })
  @ApiCreatedResponse({ description: 'The new document.', type: DocumentResponse })
  @ApiOkResponse({ description: 'The existing document with this `external_id`.', type: DocumentResponse })
  create(
    @CurrentMember() member: Member,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DocumentResponse> {
    return this.documents.create(member, request, response);
  }

  @Get()
  @RequiresRole('viewer')
  @ApiOperation({ operationId: 'listDocuments', summary: 'Lists the documents of a workspace.' })
  @ApiOkResponse({ description: 'A page of the list.', type: DocumentListResponse })
  list(@CurrentMember() member: Member, @Query() query: DocumentsQuery): Promise<DocumentListResponse> {
    return this.documents.list(member, query);
  }

  @Get(':document_id')
  @ApiErrors(NO_SUCH_DOCUMENT)
  @RequiresRole('viewer')
  @ApiOperation({ operationId: 'getDocument', summary: 'Returns a document with its status and progress.' })
  @ApiOkResponse({ description: 'The document.', type: DocumentResponse })
  find(
    @CurrentMember() member: Member,
    @Param() { document_id: id }: DocumentPath,
  ): Promise<DocumentResponse> {
    return this.documents.find(member, id);
  }

  @Get(':document_id/text')
  @ApiErrors({ 404: 'The workspace has no such document, or no version of it is served yet.' })
  @RequiresRole('viewer')
  @ApiOperation({
    operationId: 'getDocumentText',
    summary: 'Returns the stored text of the served version.',
    description: 'Passages and citations are slices of it.',
  })
  @ApiOkResponse({
    description: 'The text. The response is aborted if the version is replaced or deleted meanwhile.',
    headers: {
      'X-Document-Version': {
        description: 'The number of the version.',
        required: true,
        schema: { type: 'integer' },
      },
    },
    content: { 'text/plain': { schema: { type: 'string' } } },
  })
  readText(
    @CurrentMember() member: Member,
    @Param() { document_id: id }: DocumentPath,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StreamableFile> {
    return this.documents.readText(member, id, response);
  }

  @Get(':document_id/file')
  @ApiErrors({ 404: 'The workspace has no such document, or the file of its served version is not stored.' })
  @RequiresRole('viewer')
  @ApiOperation({
    operationId: 'getDocumentFile',
    summary: 'Returns the uploaded file of the served version, if it is a PDF.',
    description:
      'Files of other formats are deleted once their text is extracted, and so were all files before they were kept: see `has_file`.',
  })
  @ApiOkResponse({
    description: 'The file. The response is aborted if the version is replaced or deleted meanwhile.',
    headers: {
      'X-Document-Version': {
        description: 'The number of the version.',
        required: true,
        schema: { type: 'integer' },
      },
    },
    content: { 'application/pdf': { schema: { type: 'string', format: 'binary' } } },
  })
  readFile(
    @CurrentMember() member: Member,
    @Param() { document_id: id }: DocumentPath,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StreamableFile> {
    return this.documents.readFile(member, id, response);
  }

  @Post(':document_id/retry')
  @HttpCode(200)
  @ApiErrors({
    ...NO_SUCH_DOCUMENT,
    409: 'The newest version has not failed, or its file is not stored any more.',
  })
  @RequiresRole('editor')
  @ApiOperation({
    operationId: 'retryDocument',
    summary: 'Reads a document once more that could not be read. Needs the role editor.',
    description: 'The newest version gets the next number. Files of failed versions are stored for this.',
  })
  @ApiOkResponse({ description: 'The document.', type: DocumentResponse })
  retry(
    @CurrentMember() member: Member,
    @Param() { document_id: id }: DocumentPath,
  ): Promise<DocumentResponse> {
    return this.documents.retry(member, id);
  }

  @Put(':document_id')
  @ApiErrors({
    ...NO_SUCH_DOCUMENT,
    409: 'Another document has the `external_id`, or the workspace has as many bytes as it may.',
    ...UPLOAD_ERRORS,
  })
  @ApiCodedErrors(UPLOAD_UNAVAILABLE)
  @RequiresRole('editor')
  @BodyAs('stream')
  @ApiOperation({
    operationId: 'replaceDocument',
    summary: 'Adds a version to a document. Needs the role editor.',
    description:
      'The previous version is served until the new one is ready. Nothing changes if the newest version is equal.',
    requestBody: UPLOAD_BODY,
  })
  @ApiOkResponse({ description: 'The document.', type: DocumentResponse })
  replace(
    @CurrentMember() member: Member,
    @Param() { document_id: id }: DocumentPath,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DocumentResponse> {
    return this.documents.replace(member, id, request, response);
  }

  @Delete(':document_id')
  @ApiErrors(NO_SUCH_DOCUMENT)
  @RequiresRole('editor')
  @HttpCode(204)
  @ApiOperation({
    operationId: 'deleteDocument',
    summary: 'Deletes a document. Needs the role editor.',
    description: 'Search and citations exclude it from then on.',
  })
  @ApiNoContentResponse({ description: 'The document is deleted.' })
  remove(@CurrentMember() member: Member, @Param() { document_id: id }: DocumentPath): Promise<void> {
    return this.documents.remove(member, id);
  }
}
