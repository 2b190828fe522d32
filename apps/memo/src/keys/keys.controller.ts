import { Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { Accepts } from '@inference/credentials';
import { type PageQuery, pageQuery, ValidBody, ValidQuery } from '@inference/http';
import { CurrentMember, type Member } from '../access/member';
import { Needs } from '../access/workspace.guard';
import { keyBody, type KeyBody } from './key.dto';
import { KeysService } from './keys.service';

/** Keys of a workspace, for programs (spec: Workspace chat, `X-API-Key`). No key makes or ends keys. */
@Controller('v1/workspaces/:workspace_id/keys')
@Accepts('session')
@Needs('viewer')
export class KeysController {
  constructor(private readonly keys: KeysService) {}

  /** The answer is the only one that holds the key. */
  @Post()
  create(@CurrentMember() member: Member, @ValidBody(keyBody) body: KeyBody) {
    return this.keys.create(member, body);
  }

  /** `{keys, next_cursor}`, newest first: one's own, or for an admin all. */
  @Get()
  list(@CurrentMember() member: Member, @ValidQuery(pageQuery) query: PageQuery) {
    return this.keys.list(member, query);
  }

  @Delete(':key_id')
  @HttpCode(204)
  remove(@CurrentMember() member: Member, @Param('key_id') id: string) {
    return this.keys.remove(member, id);
  }
}
