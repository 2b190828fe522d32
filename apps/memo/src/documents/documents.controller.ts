import { Controller, Delete, Get, HttpCode, Param, Post, Put, Req, Res } from '@nestjs/common';
import { ValidQuery } from '@inference/http';
import { type Request, type Response } from 'express';
import { CurrentMember, type Member } from '../access/member';
import { Needs } from '../access/workspace.guard';
import { documentsQuery, type DocumentsQuery } from './document.dto';
import { DocumentsService } from './documents.service';

@Controller('v1/workspaces/:workspace_id/documents')
export class DocumentsController {
  constructor(private readonly documents: DocumentsService) {}

  /** 201, or 200 with the document that has this `external_id` already. Its text is read in the background. */
  @Post()
  @Needs('editor')
  create(
    @CurrentMember() member: Member,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ) {
    return this.documents.create(member, request, response);
  }

  /** `{documents, next_cursor}`, newest first. */
  @Get()
  @Needs('viewer')
  list(@CurrentMember() member: Member, @ValidQuery(documentsQuery) query: DocumentsQuery) {
    return this.documents.list(member, query);
  }

  @Get(':document_id')
  @Needs('viewer')
  find(@CurrentMember() member: Member, @Param('document_id') id: string) {
    return this.documents.find(member, id);
  }

  /** The stored text of the version that is served, which citations are slices of. */
  @Get(':document_id/text')
  @Needs('viewer')
  readText(
    @CurrentMember() member: Member,
    @Param('document_id') id: string,
    @Res({ passthrough: true }) response: Response,
  ) {
    return this.documents.readText(member, id, response);
  }

  /** A new version; the last one that was ready is served until this one is. */
  @Put(':document_id')
  @Needs('editor')
  replace(
    @CurrentMember() member: Member,
    @Param('document_id') id: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ) {
    return this.documents.replace(member, id, request, response);
  }

  /** Nothing of it is found or cited from then on. */
  @Delete(':document_id')
  @Needs('editor')
  @HttpCode(204)
  remove(@CurrentMember() member: Member, @Param('document_id') id: string) {
    return this.documents.remove(member, id);
  }
}
