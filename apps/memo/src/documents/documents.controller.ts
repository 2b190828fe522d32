import { Controller, Delete, Get, HttpCode, Param, Post, Put, Req, Res } from '@nestjs/common';
import { BodyAs, ValidQuery } from '@inference/http';
import { type Request, type Response } from 'express';
import { CurrentMember, type Member } from '../access/member';
import { RequiresRole } from '../access/workspace.guard';
import { documentsQuery, type DocumentsQuery } from './document.dto';
import { DocumentsService } from './documents.service';

@Controller('v1/workspaces/:workspace_id/documents')
export class DocumentsController {
  constructor(private readonly documents: DocumentsService) {}

  /**
   * Answers 201, or 200 with the existing document if one has this `external_id`. The text is extracted in the
   * background.
   */
  @Post()
  @RequiresRole('editor')
  @BodyAs('stream')
  create(
    @CurrentMember() member: Member,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ) {
    return this.documents.create(member, request, response);
  }

  /** `{documents, next_cursor}`, newest first. */
  @Get()
  @RequiresRole('viewer')
  list(@CurrentMember() member: Member, @ValidQuery(documentsQuery) query: DocumentsQuery) {
    return this.documents.list(member, query);
  }

  @Get(':document_id')
  @RequiresRole('viewer')
  find(@CurrentMember() member: Member, @Param('document_id') id: string) {
    return this.documents.find(member, id);
  }

  /** The stored text of the serving version. Citations are slices of it. */
  @Get(':document_id/text')
  @RequiresRole('viewer')
  readText(
    @CurrentMember() member: Member,
    @Param('document_id') id: string,
    @Res({ passthrough: true }) response: Response,
  ) {
    return this.documents.readText(member, id, response);
  }

  /** Adds a version. The previous version is served until the new one is ready. */
  @Put(':document_id')
  @RequiresRole('editor')
  @BodyAs('stream')
  replace(
    @CurrentMember() member: Member,
    @Param('document_id') id: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ) {
    return this.documents.replace(member, id, request, response);
  }

  /** Search and citations exclude the document from then on. */
  @Delete(':document_id')
  @RequiresRole('editor')
  @HttpCode(204)
  remove(@CurrentMember() member: Member, @Param('document_id') id: string) {
    return this.documents.remove(member, id);
  }
}
